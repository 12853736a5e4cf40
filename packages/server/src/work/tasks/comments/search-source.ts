import type { Collection, IndexedDocument } from 'worklore-search'
import type { Db, Sql } from '../../../db/port.js'
import { readTasksForIndex } from '../search/search-source.js'
import { commentedTaskIds, findBodies } from './store.js'

/** So much of a task's comments is searched, the oldest first. */
const maxLength = 262_144

const joined = async (db: Sql, tenantId: string, taskIds: readonly string[]): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for (const { task_id, doc } of await findBodies(db, tenantId, taskIds)) {
    const before = texts.get(task_id)
    if (before !== undefined && before.length > maxLength) continue
    const { body } = JSON.parse(doc) as { body: string }
    texts.set(task_id, before === undefined ? body : `${before}\n\n${body}`)
  }
  return texts
}

/** The comments of a task as one document, which is found under the same filters as the task. */
export const commentCollection = (db: Db): Collection => {
  const read = async (tenantId: string, taskIds: readonly string[]): Promise<IndexedDocument[]> => {
    const texts = await joined(db.ofTenant(tenantId), tenantId, taskIds)
    const tasks = await readTasksForIndex(db.ofTenant(tenantId), tenantId, [...texts.keys()])
    return tasks.map((task) => ({ ...task, title: '', body: texts.get(task.ref)! }))
  }
  return {
    exactNames: () => [],
    readForIndex: (tenantId, names) =>
      read(
        tenantId,
        names.map(({ ref }) => ref),
      ),
    readPageForIndex: async (tenantId, after, count, scope) =>
      read(tenantId, await commentedTaskIds(db.ofTenant(tenantId), tenantId, after?.ref ?? '', count, scope)),
    readTexts: async (tenantId, names) => {
      const texts = await joined(
        db.ofTenant(tenantId),
        tenantId,
        names.map(({ ref }) => ref),
      )
      return [...texts].map(([ref, body]) => ({ ref, title: '', body }))
    },
  }
}
