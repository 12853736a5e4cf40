import { Type } from 'typebox'
import { AppError, invalid } from '../../base/errors.js'
import { checkPreconditions } from '../../base/versions.js'
import type { OperationCall } from '../../operations/operation.js'
import { runSteps } from '../../operations/run-operation.js'
import { maxSuperseded } from '../../work/knowledge/fields.js'
import { checkWritableKey } from '../../work/knowledge/key.js'
import { countItems } from '../../work/knowledge/list.js'
import {
  getKnowledge,
  judgeKnowledge,
  listKnowledge as listOperation,
  putKnowledge,
  retractKnowledge,
} from '../../work/knowledge/operations.js'
import { requireWritablePlace } from '../../work/knowledge/place.js'
import type { KnowledgeItem, KnowledgeWrite } from '../../work/knowledge/schema.js'
import { duplicatesOf } from '../../work/knowledge/search/similar.js'
import { countFitting, listBudget, partOf, readBudget } from '../budget.js'
import { namingNearKey } from '../near-keys.js'
import { createProjectNames } from '../projects.js'
import { run, runStep } from '../run.js'
import { standingText } from '../text/knowledge.js'
import { asData, dayText, quoted, totalText, word } from '../text/text.js'
import { tool } from '../tool.js'

type ListedItem = Omit<KnowledgeItem, 'content'>

const itemLine = async (item: ListedItem, nameOf: (id: string) => Promise<string>): Promise<string> => {
  const { key, version, projectId, updatedAt } = item
  const place = projectId === null ? '' : ` project ${await nameOf(projectId)}`
  const standing = standingText(item)
  return `${word(key)} v${version}${place} ${dayText(updatedAt)}${standing && ` (${standing})`}`
}

const noteNamed = (key: string, project: string | undefined) => ({
  key,
  ...(project !== undefined && { projectId: project }),
})

export const readKnowledge = tool({
  name: 'read_knowledge',
  title: 'Read note',
  description: 'Read a note',
  annotations: { readOnlyHint: true },
  scopes: ['knowledge:read'],
  operations: [getKnowledge],
  input: Type.Object({
    key: Type.String(),
    project: Type.Optional(Type.String()),
    from_line: Type.Optional(Type.Integer({ minimum: 1 })),
    claim: Type.Optional(Type.String()),
  }),
  run: async (call, { key, project, from_line: from = 1, claim }) => {
    const { data: item } = await run(call, getKnowledge, noteNamed(key, project), claim).catch(namingNearKey(call, key))
    const { text, lines, next } = partOf(item.content, from, readBudget)
    const parts = [
      `${await itemLine(item, createProjectNames(call))} by ${word(item.updatedBy.keyName)}`,
      ...(item.source === null ? [] : [`source ${quoted(item.source)}`]),
      asData(text),
      ...(lines === undefined ? [] : [next === undefined ? lines : `${lines}, more: from_line ${next}`]),
    ]
    return parts.join('\n')
  },
})

/** The note that a change starts from: the one that read_knowledge shows. Only an edit needs one. */
const findNote = async (inside: OperationCall, { key, project, mode }: Write): Promise<KnowledgeItem | undefined> => {
  try {
    return (await runStep(inside, getKnowledge, noteNamed(key, project))).data
  } catch (error) {
    if (mode === 'append' && error instanceof AppError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

const edited = (content: string, oldText: string, newText: string): string => {
  const at = content.indexOf(oldText)
  if (at < 0) throw invalid({ path: 'old_text', message: 'is not in the note; read_knowledge shows what is' })
  if (content.includes(oldText, at + 1)) {
    throw invalid({ path: 'old_text', message: 'is there more than once; give more of the text around it' })
  }
  return content.slice(0, at) + newText + content.slice(at + oldText.length)
}

const appended = (content: string, more: string): string =>
  content === '' || content.endsWith('\n') ? content + more : `${content}\n${more}`

interface Write {
  key: string
  content: string
  mode: 'replace' | 'append' | 'edit'
  oldText: string | undefined
  version: number | undefined
  project: string | undefined
  fields: Pick<KnowledgeWrite, 'supersedes'>
}

/** Writes a note. Append and edit read and write it in one transaction, so that no other write comes in between. */
const write = async (call: OperationCall, wanted: Write, claim: string | undefined) => {
  const { key, mode, oldText, version, project, fields } = wanted
  const preconditions = version === undefined ? {} : { ifMatch: [version] }
  const replacement = { content: wanted.content, ...fields, ...(project !== undefined && { projectId: project }) }
  const replacing = { key, item: replacement, ...preconditions }
  if (mode === 'replace') return run(call, putKnowledge, replacing, claim)
  checkWritableKey(key)
  return runSteps(call, 'knowledge:write', claim, async (inside) => {
    const item = await findNote(inside, wanted)
    if (!item) return runStep(inside, putKnowledge, replacing)
    const { projectId } = item
    requireWritablePlace(inside, { id: projectId ?? '' })
    checkPreconditions(preconditions, item.version)
    const content =
      mode === 'append' ? appended(item.content, wanted.content) : edited(item.content, oldText!, wanted.content)
    return runStep(inside, putKnowledge, { key, item: { content, ...fields, projectId } })
  })
}

const verdicts = { verify: 'verified', dispute: 'disputed' } as const
type Review = keyof typeof verdicts | 'retract'

/** Says of a note that was read that it is right or wrong, or withdraws it. */
const review = async (
  call: OperationCall,
  mode: Review,
  { key, content, version, project }: Omit<Write, 'mode'>,
  claim: string | undefined,
) => {
  const named = noteNamed(key, project)
  const reason = content.trim()
  if (version === undefined) throw invalid({ path: 'version', message: 'is required: the one that you read' })
  if (mode !== 'retract') {
    const verdict = { ...named, version, trust: verdicts[mode], note: reason || null }
    return run(call, judgeKnowledge, { verdict }, claim)
  }
  if (reason === '') throw invalid({ path: 'content', message: 'must say why the note is retracted' })
  return run(call, retractKnowledge, { retraction: { ...named, reason }, ifMatch: [version] }, claim)
}

const isReview = (mode: Write['mode'] | Review): mode is Review => mode === 'retract' || mode in verdicts

/** What may say the same as a note that was written. It counts as a search, and is left out where none is left. */
const twinsText = async (call: OperationCall, item: KnowledgeItem): Promise<string> => {
  try {
    await call.countOperations(['searches'])
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMIT_EXCEEDED') return ''
    throw error
  }
  const twins = (await duplicatesOf(call, call.core.search, item, call)) ?? []
  if (twins.length === 0) return ''
  const keys = twins
    .map(({ key, foundBy }) => (foundBy === undefined ? word(key) : `${word(key)} (supersedes ${word(foundBy)})`))
    .join(', ')
  return `\nSimilar: ${keys}. If one says the same, keep one: update it, or supersede it with this note.`
}

export const writeKnowledge = tool({
  name: 'write_knowledge',
  title: 'Write note',
  description: 'Write or judge a note; without project the one read_knowledge shows, or a new one for all projects',
  annotations: { destructiveHint: true },
  scopes: ['knowledge:write'],
  operations: ({ mode }) =>
    mode === 'retract'
      ? [retractKnowledge]
      : mode === 'verify' || mode === 'dispute'
        ? [judgeKnowledge]
        : [putKnowledge],
  input: Type.Object({
    key: Type.String({ description: 'path such as guides/setup' }),
    content: Type.String(),
    mode: Type.Optional(
      Type.Enum(['replace', 'append', 'edit', 'verify', 'dispute', 'retract'], {
        description: 'edit puts content in place of old_text; the last three judge version, content says why',
      }),
    ),
    old_text: Type.Optional(Type.String({ minLength: 1 })),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    supersedes: Type.Optional(
      Type.Array(Type.String(), { maxItems: maxSuperseded, description: 'notes this replaces' }),
    ),
    project: Type.Optional(Type.String()),
    claim: Type.Optional(Type.String()),
  }),
  run: async (call, { key, content, mode = 'replace', old_text: oldText, version, supersedes, project, claim }) => {
    if ((mode === 'edit') !== (oldText !== undefined)) {
      throw invalid({ path: 'old_text', message: mode === 'edit' ? 'is required for edit' : 'is for the mode edit' })
    }
    if (isReview(mode)) {
      const wanted = { key, content, oldText, version, project, fields: {} }
      const { data: item } = await review(call, mode, wanted, claim).catch(namingNearKey(call, key))
      return `${word(key)} v${item.version} ${standingText(item)}`
    }
    const fields = { ...(supersedes && { supersedes }) }
    const wanted = { key, content, mode, oldText, version, project, fields }
    const { data: item, isCreated } = await write(call, wanted, claim).catch(namingNearKey(call, key))
    const { projectId } = item
    const place = projectId === null ? '' : ` in project ${await createProjectNames(call)(projectId)}`
    const twins = await twinsText(call, item)
    return `${word(key)} v${item.version} ${isCreated ? 'created' : 'written'}${place}${twins}`
  },
})

const pageSize = 100

export const listKnowledge = tool({
  name: 'list_knowledge',
  title: 'List notes',
  description: 'List the keys of notes',
  annotations: { readOnlyHint: true },
  scopes: ['knowledge:read'],
  operations: [listOperation],
  input: Type.Object({
    prefix: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  }),
  run: async (call, { prefix, project, cursor }) => {
    const nameOf = createProjectNames(call)
    const listed = {
      ...(prefix !== undefined && { prefix }),
      ...(project !== undefined && { projectId: project }),
    }
    const read = (limit: number) =>
      run(call, listOperation, { ...listed, limit, fields: 'key', ...(cursor !== undefined && { cursor }) })
    let page = await read(pageSize)
    const lines: string[] = []
    for (const item of page.data) lines.push(await itemLine(item, nameOf))
    if (lines.length === 0) return 'No notes match.'
    const count = countFitting(lines, listBudget)
    if (count < lines.length) page = await read(count)
    const { nextCursor } = page.pagination
    const rest = nextCursor === null ? '' : `, more: cursor ${nextCursor}`
    const total = totalText(await countItems(call, listed))
    return [...lines.slice(0, count), `${count} of ${total}${rest}`].join('\n')
  },
})
