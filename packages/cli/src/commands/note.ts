import { NotFoundError } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { CommandError, usageError } from '../exit-codes.js'
import { historyAnswer, readHistory } from '../history.js'
import { contentOf, countOf, limitOf, textOf } from '../input.js'
import { findNote, projectOf, scopeOptions, targetOf, writtenNote } from '../notes.js'
import { flag, limitOption, text } from '../option.js'
import { takeRecords } from '../pages.js'
import { projectKeys } from '../projects.js'
import { editText, saveEdited } from '../terminal/editor.js'
import { confirm } from '../terminal/prompt.js'
import { printable } from '../terminal/screen.js'
import { listAnswer } from '../terminal/table.js'
import { localTime } from '../times.js'

const contentOptions = {
  message: text('TEXT', 'The text, in place of a file', 'm'),
  ...scopeOptions,
}

/** The text from a file, from standard input or from an option. */
const contentFrom = async (file: string | undefined, message: string | undefined): Promise<string> => {
  if ((message === undefined) === (file === undefined))
    throw usageError('Give the text as a FILE, as - for standard input, or with -m TEXT.')
  return message === undefined ? contentOf(file!) : textOf(message)
}

export const get = command({
  words: ['KEY'],
  options: { version: text('N', 'The note as it was at this version'), ...scopeOptions },
  run: async (cli, { version, tenant }, [key]) => {
    const wl = cli.client()
    const now = await findNote(cli, wl, key!, tenant)
    const { projectId } = now
    const item =
      version === undefined
        ? now
        : await wl.knowledge.getVersion(key!, countOf('--version', version), { projectId: projectId ?? undefined })
    // To a file or a program the text goes byte for byte.
    if (cli.isText && !cli.screen.isTerminal) {
      process.stdout.write(item.content)
      return undefined
    }
    return { body: { data: item }, ids: [item.key], text: () => printable(item.content) }
  },
})

export const put = command({
  words: ['KEY', '[FILE | -]'],
  more: 'An existing one is replaced.',
  options: {
    new: flag('Only if there is no such note yet'),
    'if-version': text('N', 'Only if the note is at this version'),
    ...contentOptions,
  },
  run: async (cli, values, [key, file]) => {
    const content = await contentFrom(file, values.message)
    const version = values['if-version']
    const item = await cli.client().knowledge.put(
      key!,
      { content, projectId: targetOf(cli, values.tenant) },
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
    const { message, tenant } = values
    const text = await contentFrom(file, message)
    const wl = cli.client()
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
  more: 'Saves it if nobody else changed it meanwhile. A new note is created.',
  options: scopeOptions,
  run: async (cli, { tenant }, [key]) => {
    if (!cli.isInteractive) throw usageError('$EDITOR needs a terminal. Use wl note put KEY - instead.')
    const wl = cli.client()
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

export const ls = command({
  words: ['[PREFIX]'],
  more: 'Those of the project, or all if no project is set.',
  options: { limit: limitOption(500), ...scopeOptions },
  run: async (cli, { limit, tenant }, [prefix]) => {
    const wl = cli.client()
    const projectId = projectOf(cli, tenant)
    const scope = tenant ? ('tenant' as const) : undefined
    const list = (size: number) => wl.knowledge.list({ prefix, projectId, scope, fields: 'key', limit: size })
    const body = await takeRecords(list, limitOf(limit, 500), 500)
    const keys = await projectKeys(
      wl,
      body.data.map((item) => item.projectId),
    )
    if (cli.screen.isTerminal && body.pagination.hasMore) cli.note('There are more; -n shows more of them.')
    return listAnswer(body, 'key', [
      ['PROJECT', ({ projectId: id }) => (id ? (keys.get(id) ?? id) : '')],
      ['VERSION', 'version'],
      ['UPDATED', ({ updatedAt }) => localTime(updatedAt)],
      ['BY', ({ updatedBy }) => updatedBy.keyName],
      ['KEY', 'key', 'cyan'],
    ])
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
    return historyAnswer(await readHistory(wl, query, limitOf(limit, 20)))
  },
})
