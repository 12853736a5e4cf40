import { recordName } from '../../changelog/versions/version.js'
import type { Call } from '../../operations/call.js'
import { storedVersion } from '../history/current-version.js'
import { recorded } from '../history/removal/forget.js'

const taskId = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14}$/

const isText = (value: unknown): value is string => typeof value === 'string'

/** The records that a JSON value tells of, by the names that the history has for them. */
const recordsIn = (value: unknown, found: Set<string>): void => {
  if (Array.isArray(value)) for (const each of value) recordsIn(each, found)
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  for (const id of [fields.id, fields.task]) if (isText(id) && taskId.test(id)) found.add(recordName.task(id))
  if (isText(fields.taskId) && isText(fields.id)) found.add(recordName.comment(fields.taskId, fields.id))
  for (const part of [fields.comment, fields.question]) {
    if (isText(fields.task) && isText(part)) found.add(recordName.comment(fields.task, part))
  }
  for (const id of [fields.id, fields.knowledgeId]) {
    if (isText(id) && id.startsWith('kno_')) found.add(recordName.knowledge(id))
  }
  for (const id of [fields.id, fields.project]) {
    if (isText(id) && id.startsWith('prj_')) found.add(recordName.project(id))
  }
  for (const each of Object.values(fields)) recordsIn(each, found)
}

const kindOfName = (record: string) => {
  if (record.startsWith('prj_')) return 'project' as const
  if (record.startsWith('kno_')) return 'knowledge' as const
  if (taskId.test(record)) return 'task' as const
  return record.includes('/cmt_') ? ('comment' as const) : ('question' as const)
}

/** Which of some JSON texts tell of a record that is purged: it is neither there nor in the history. */
export const purgedAmong = async (call: Call, bodies: readonly string[]): Promise<boolean[]> => {
  const named = bodies.map((body) => {
    const found = new Set<string>()
    recordsIn(JSON.parse(body), found)
    return found
  })
  const all = [...new Set(named.flatMap((records) => [...records]))]
  const known = await recorded(call, all)
  for (const record of all) {
    if (!known.has(record) && (await storedVersion(call, kindOfName(record), record)) !== undefined) known.add(record)
  }
  return named.map((records) => [...records].some((record) => !known.has(record)))
}
