import { Type } from 'typebox'
import { AppError, invalid } from '../../base/errors.js'
import { checkPreconditions } from '../../base/versions.js'
import { type Call, changing } from '../../operations/call.js'
import { checkWritableKey } from '../../work/knowledge/key.js'
import { countItems, listItems } from '../../work/knowledge/list.js'
import { getKnowledge, listKnowledge as listOperation, putKnowledge } from '../../work/knowledge/operations.js'
import { requireWritablePlace } from '../../work/knowledge/place.js'
import type { KnowledgeItem, KnowledgeMeta } from '../../work/knowledge/schema.js'
import { getItem, type ItemAnswer, putItem } from '../../work/knowledge/service.js'
import { countFitting, listBudget, partOf, readBudget } from '../budget.js'
import { namingNearKey } from '../near-keys.js'
import { createProjectNames } from '../projects.js'
import { asData, dayText, parsed, totalText, word } from '../text.js'
import { tool } from '../tool.js'
import { underClaim } from './tasks.js'

const itemLine = async (
  { key, version, projectId, updatedAt }: KnowledgeMeta,
  nameOf: (id: string) => Promise<string>,
): Promise<string> => {
  const place = projectId === null ? '' : ` project ${await nameOf(projectId)}`
  return `${word(key)} v${version}${place} ${dayText(updatedAt)}`
}

const readNote = async (call: Call, key: string, project: string | undefined): Promise<KnowledgeItem> =>
  parsed<KnowledgeItem>((await getItem(call, key, project)).json)

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
  }),
  run: async (call, { key, project, from_line: from = 1 }) => {
    const item = await readNote(call, key, project).catch(namingNearKey(call, key))
    const { text, lines, next } = partOf(item.content, from, readBudget)
    const parts = [
      `${await itemLine(item, createProjectNames(call))} by ${word(item.updatedBy.keyName)}`,
      asData(text),
      ...(lines === undefined ? [] : [next === undefined ? lines : `${lines}, more: from_line ${next}`]),
    ]
    return parts.join('\n')
  },
})

/** The note that a change starts from: the one that read_knowledge shows. Only an edit needs one. */
const findNote = async (call: Call, { key, project, mode }: Write): Promise<KnowledgeItem | undefined> => {
  try {
    return await readNote(call, key, project)
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
}

/** A change to what a note says reads and writes in one transaction, so that nobody else writes in between. */
const write = async (call: Call, wanted: Write): Promise<ItemAnswer> => {
  const { key, mode, oldText, version, project } = wanted
  const preconditions = version === undefined ? {} : { ifMatch: [version] }
  const replace = (call: Call): Promise<ItemAnswer> =>
    putItem(call, key, { content: wanted.content, ...(project !== undefined && { projectId: project }) }, preconditions)
  if (mode === 'replace') return replace(call)
  checkWritableKey(key)
  return changing(call, async (call) => {
    const item = await findNote(call, wanted)
    if (!item) return replace(call)
    const { projectId } = item
    requireWritablePlace(call.actor, { id: projectId ?? '', key: '' })
    checkPreconditions(preconditions, item.version)
    const content =
      mode === 'append' ? appended(item.content, wanted.content) : edited(item.content, oldText!, wanted.content)
    return putItem(call, key, { content, projectId }, {})
  })
}

export const writeKnowledge = tool({
  name: 'write_knowledge',
  title: 'Write note',
  description: 'Write a note; without project the one that read_knowledge shows, or a new one for all projects',
  annotations: { destructiveHint: true },
  scopes: ['knowledge:write'],
  operations: [putKnowledge],
  input: Type.Object({
    key: Type.String({ description: 'path such as guides/setup' }),
    content: Type.String(),
    mode: Type.Optional(
      Type.Enum(['replace', 'append', 'edit'], { description: 'edit puts content in place of old_text' }),
    ),
    old_text: Type.Optional(Type.String({ minLength: 1 })),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    project: Type.Optional(Type.String()),
    claim: Type.Optional(Type.String()),
  }),
  run: async (call, { key, content, mode = 'replace', old_text: oldText, version, project, claim }) => {
    if ((mode === 'edit') !== (oldText !== undefined)) {
      throw invalid({ path: 'old_text', message: mode === 'edit' ? 'is required for edit' : 'is for the mode edit' })
    }
    const wanted = { key, content, mode, oldText, version, project }
    const written = await write(underClaim(call, claim), wanted).catch(namingNearKey(call, key))
    const { projectId, isCreated } = written
    const place = projectId === '' ? '' : ` in project ${await createProjectNames(call)(projectId)}`
    return `${word(key)} v${written.version} ${isCreated ? 'created' : 'written'}${place}`
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
      listItems(call, { ...listed, limit, fields: 'key', ...(cursor !== undefined && { cursor }) })
    let page = await read(pageSize)
    const lines: string[] = []
    for (const item of page.items) lines.push(await itemLine(parsed<KnowledgeMeta>(item), nameOf))
    if (lines.length === 0) return 'No notes match.'
    const count = countFitting(lines, listBudget)
    if (count < lines.length) page = await read(count)
    const { nextCursor } = page
    const rest = nextCursor === null ? '' : `, more: cursor ${nextCursor}`
    const total = totalText(await countItems(call, listed))
    return [...lines.slice(0, count), `${count} of ${total}${rest}`].join('\n')
  },
})
