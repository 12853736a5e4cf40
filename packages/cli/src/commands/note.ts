import { type KnowledgeItem, type ListKnowledgeQuery, NotFoundError } from 'worklore-client'
import { type Cli, command, oneAnswer } from '../command.js'
import { CommandError, usageError } from '../exit-codes.js'
import { historyAnswer, listHistory } from '../history.js'
import { contentOf, countOf, textOf } from '../input.js'
import { projectKeys } from '../named-records.js'
import { outdatedText, stateCell, wholeNote } from '../note-text.js'
import { findNote, followNote, projectOf, scopeOptions, targetOf, viewForNotes, writtenNote } from '../notes.js'
import { claimOption, flag, limitOption, text } from '../option.js'
import { takeLimited } from '../pages.js'
import { editText, saveEdited } from '../terminal/editor.js'
import { confirm } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'
import { listAnswer } from '../terminal/table.js'
import { localTime } from '../times.js'
import { noteFields, noteOptions } from './note-fields.js'

const contentOptions = {
  message: text('TEXT', 'The text, in place of a file', 'm'),
  ...claimOption,
  ...scopeOptions,
}

/** The text from a file, from standard input or from an option. */
const contentFrom = async (file: string | undefined, message: string | undefined): Promise<string> => {
  if ((message === undefined) === (file === undefined))
    throw usageError('Give the text as a FILE, as - for standard input, or with -m TEXT.')
  return message === undefined ? contentOf(file!) : textOf(message)
}

/** Says beside the text that it no longer holds. */
const warnOutdated = (cli: Cli, item: KnowledgeItem): void => {
  const outdated = outdatedText(item)
  if (cli.isText && outdated !== '') cli.note(`${item.key} is ${outdated}`)
}

/** The lines of a text from one on, and up to another, with what ends them. */
const linesOf = (content: string, range: string): string => {
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? []
  if (!from || Number(from) < 1 || Number(to ?? from) < Number(from)) {
    throw usageError('--lines must be a line or a range, such as 120 or 120-160.')
  }
  const lines = content.split(/(?<=\n)/)
  return lines.slice(Number(from) - 1, to === undefined ? undefined : Number(to)).join('')
}

export const get = command({
  words: ['KEY'],
  more: 'The text alone, byte for byte; wl note show prints its fields too.',
  options: {
    version: text('N', 'The note as it was at this version'),
    lines: text('FROM[-TO]', 'From this line on, such as wl search names it'),
    ...claimOption,
    ...scopeOptions,
  },
  run: async (cli, { version, lines, 'claim-token': claim, tenant }, [key]) => {
    const wl = viewForNotes(cli, claim)
    const now = await findNote(cli, wl, key!, tenant)
    const { projectId } = now
    const whole =
      version === undefined
        ? now
        : await wl.knowledge.getVersion(key!, countOf('--version', version), { projectId: projectId ?? undefined })
    warnOutdated(cli, now)
    const item = lines === undefined ? whole : { ...whole, content: linesOf(whole.content, lines) }
    // To a file or a program the text goes byte for byte.
    if (cli.isText && !cli.screen.isTerminal) {
      process.stdout.write(item.content)
      return undefined
    }
    return { body: { data: item }, ids: [item.key], text: () => printable(item.content) }
  },
})

export const show = command({
  words: ['KEY'],
  more: 'Finds a note that was moved under its new key.',
  options: { ...claimOption, ...scopeOptions },
  run: async (cli, { 'claim-token': claim, tenant }, [key]) => {
    const item = await followNote(cli, viewForNotes(cli, claim), key!, tenant)
    if (item.key !== key) cli.note(`${key} was moved to ${item.key}.`)
    const { projectId } = item
    return wholeNote(
      item,
      projectId ? ((await projectKeys(cli.client(), [projectId])).get(projectId) ?? projectId) : '',
    )
  },
})

export const put = command({
  words: ['KEY', '[FILE | -]'],
  more: 'An existing one is replaced; its other fields stay as they are.',
  options: {
    ...noteOptions,
    new: flag('Only if there is no such note yet'),
    'if-version': text('N', 'Only if the note is at this version'),
    ...contentOptions,
  },
  run: async (cli, values, [key, file]) => {
    const content = await contentFrom(file, values.message)
    const version = values['if-version']
    const item = await viewForNotes(cli, values['claim-token']).knowledge.put(
      key!,
      { ...noteFields(values), content, projectId: targetOf(cli, values.tenant) },
      {
        ...(values.new && { ifNoneMatch: '*' as const }),
        ...(version !== undefined && { ifMatch: countOf('--if-version', version) }),
      },
    )
    return writtenNote(item)
  },
})

export const append = command({
  words: ['KEY', '[FILE | -]'],
  more: 'On a line of its own; also to a new note, and while others append too.',
  options: contentOptions,
  run: async (cli, values, [key, file]) => {
    const { message, 'claim-token': claim, tenant } = values
    const text = await contentFrom(file, message)
    const wl = viewForNotes(cli, claim)
    const added = text.endsWith('\n') ? text : `${text}\n`
    try {
      const { projectId } = await findNote(cli, wl, key!, tenant)
      const item = await wl.knowledge.update(
        key!,
        ({ content }) => ({
          content: content === '' || content.endsWith('\n') ? content + added : `${content}\n${added}`,
        }),
        { projectId: projectId ?? undefined },
      )
      return writtenNote(item)
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      const projectId = targetOf(cli, tenant)
      return writtenNote(await wl.knowledge.put(key!, { content: added, projectId }, { ifNoneMatch: '*' }))
    }
  },
})

export const edit = command({
  words: ['KEY'],
  more: `Without an option, opens its text in $EDITOR, on a terminal, and saves it if nobody else changed it meanwhile. A new
note is created. Options change its fields, and leave the text as it is.`,
  options: { ...noteOptions, ...claimOption, ...scopeOptions },
  run: async (cli, { tenant, 'claim-token': claim, ...values }, [key]) => {
    const wl = viewForNotes(cli, claim)
    const fields = noteFields(values)
    if (Object.keys(fields).length > 0) {
      const { projectId } = await findNote(cli, wl, key!, tenant)
      return writtenNote(await wl.knowledge.patch(key!, fields, { projectId: projectId ?? undefined }))
    }
    if (!cli.isInteractive) throw usageError('$EDITOR needs a terminal. Use wl note put KEY - instead.')
    const item = await findNote(cli, wl, key!, tenant).catch((error) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
    const before = item?.content ?? ''
    const edited = await editText('note.md', before)
    if (edited.text === before) {
      edited.remove()
      throw new CommandError('Nothing was changed.')
    }
    const projectId = item ? item.projectId : targetOf(cli, tenant)
    const condition = item ? { ifMatch: item } : { ifNoneMatch: '*' as const }
    const saved = await saveEdited(edited, () => wl.knowledge.put(key!, { content: edited.text, projectId }, condition))
    return writtenNote(saved)
  },
})

export const notes = command({
  words: ['[PREFIX]'],
  more: 'Those of the project, or all if no project is set.',
  options: {
    tag: text('TAG', 'With this tag'),
    state: text('STATE'),
    trust: text('TRUST'),
    stale: flag('That relied on something that no longer holds'),
    limit: limitOption(500),
    ...scopeOptions,
  },
  run: async (cli, { limit, tenant, tag, state, trust, stale }, [prefix]) => {
    const wl = cli.client()
    const filters = {
      prefix,
      projectId: projectOf(cli, tenant),
      scope: tenant ? ('tenant' as const) : undefined,
      tag,
      state: state as ListKnowledgeQuery['state'],
      trust: trust as ListKnowledgeQuery['trust'],
      stale,
    }
    const list = (size: number) => wl.knowledge.list({ ...filters, fields: 'key', limit: size })
    const body = await takeLimited(cli, list, limit, 500, 500)
    const keys = await projectKeys(
      wl,
      body.data.map((item) => item.projectId),
    )
    return listAnswer(body, 'key', [
      ['PROJECT', ({ projectId: id }) => (id ? (keys.get(id) ?? id) : '')],
      ['VERSION', 'version'],
      ['UPDATED', ({ updatedAt }) => localTime(updatedAt)],
      ['BY', ({ updatedBy }) => updatedBy.keyName],
      ['STATE', stateCell],
      ['KEY', 'key', 'cyan'],
    ])
  },
})

export const links = command({
  words: ['KEY'],
  more: 'Notes and tasks that its text names, as [[key]], as a Markdown link or by a task id.',
  options: { in: flag('The notes that link to it'), limit: limitOption(500), ...scopeOptions },
  run: async (cli, { in: isIn, limit, tenant }, [key]) => {
    const wl = cli.client()
    const { projectId } = await findNote(cli, wl, key!, tenant)
    const query = { key: key!, projectId: projectId ?? undefined, direction: isIn ? ('in' as const) : ('out' as const) }
    const body = await takeLimited(cli, (size) => wl.knowledge.links({ ...query, limit: size }), limit, 500)
    const keys = await projectKeys(
      wl,
      body.data.map((link) => link.projectId),
    )
    const rows = body.data.map((link) => ({
      id: link.key ?? link.task!,
      kind: link.key === undefined ? 'task' : 'note',
      project: link.projectId ? (keys.get(link.projectId) ?? link.projectId) : '',
      about: link.exists === false ? 'not found' : (link.title ?? ''),
    }))
    const answer = listAnswer({ data: rows }, 'id', [
      ['PROJECT', 'project'],
      ['KIND', 'kind'],
      ['KEY', 'id', 'cyan'],
      [isIn ? 'TITLE' : '', 'about'],
    ])
    return { ...answer, body }
  },
})

export const mv = command({
  words: ['KEY', 'NEW-KEY'],
  more: 'Its versions are kept.',
  options: {
    recursive: flag('Everything below KEY too', 'r'),
    'to-project': text('PROJECT', 'Into that project'),
    'to-tenant': flag('To the whole tenant'),
    ...scopeOptions,
  },
  run: async (cli, values, [from, to]) => {
    const wl = cli.client()
    const toProjectId = values['to-tenant'] ? null : values['to-project']
    const projectId = values.recursive
      ? projectOf(cli, values.tenant)
      : ((await findNote(cli, wl, from!, values.tenant)).projectId ?? undefined)
    const data = await wl.knowledge.move({
      from: from!,
      to: to!,
      recursive: values.recursive,
      projectId,
      ...(toProjectId !== undefined && { toProjectId }),
    })
    return listAnswer({ data }, 'key', [
      ['FROM', 'from'],
      ['TO', 'key'],
    ])
  },
})

export const rm = command({
  words: ['KEY'],
  options: scopeOptions,
  run: async (cli, { tenant }, [key]) => {
    const wl = cli.client()
    const { projectId, version } = await findNote(cli, wl, key!, tenant)
    await confirm(cli, `This deletes the note ${key}.`)
    const data = await wl.knowledge.delete(key!, { projectId: projectId ?? undefined, ifMatch: version })
    return oneAnswer(data, key!, `Deleted ${key}.`)
  },
})

export const history = command({
  words: ['KEY'],
  more: 'Newest first.',
  options: { limit: limitOption(20), ...scopeOptions },
  run: async (cli, { limit, tenant }, [key]) => {
    const wl = cli.client()
    const { projectId } = await findNote(cli, wl, key!, tenant)
    const query = { knowledge: key, projectId: projectId ?? undefined }
    return historyAnswer(await listHistory(cli, wl, query, limit))
  },
})
