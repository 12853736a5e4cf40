import type { IndexedDocument } from 'worklore-search'
import type { Db, Sql } from '../../../db/port.js'
import type { SearchSource } from '../../search/source.js'
import { parseDoc } from '../json-store.js'
import { facetsOf } from '../lists/filters.js'
import type { TaskDoc } from '../stored-task.js'
import { findTasks, listTaskNamesAfter, listTasksAfter, type SearchedTask } from './search-store.js'

const TASK_ID = /(?<![\p{L}\p{N}_-])([A-Z][A-Z0-9]{1,9})-([1-9]\d*)(?![\p{L}\p{N}_-])/giu
/** Without its dash an id is told from other words by its capitals, or by being all of the query. */
const SPACED_ID = /(?<![\p{L}\p{N}_-])([A-Z][A-Z0-9]{1,9}) ([1-9]\d*)(?![\p{L}\p{N}_-])/gu
const SPACED_ID_ALONE = /^([A-Z][A-Z0-9]{1,9}) +([1-9]\d*)$/giu
/** More of them are a list, of which the words find the rest. */
const maxNamedTasks = 20

/** The ids that a query names. */
const idsIn = (text: string): string[] => {
  const named = [TASK_ID, SPACED_ID, SPACED_ID_ALONE].flatMap((pattern) => [...text.matchAll(pattern)])
  return [...new Set(named.map(([, key, number]) => `${key!.toUpperCase()}-${number}`))].slice(0, maxNamedTasks)
}

const textOf = ({ doc }: SearchedTask): Pick<TaskDoc, 'title' | 'description' | 'labels'> => parseDoc(doc)

export const titleOf = (task: SearchedTask): string => textOf(task).title

const indexedTask = (task: SearchedTask): IndexedDocument => {
  const { title, description, labels } = textOf(task)
  return {
    ref: task.id,
    scope: task.project_id,
    title,
    body: description,
    facets: facetsOf(task, labels),
    dates: { due: task.due_at ?? Number.NaN, updated: task.updated_at },
  }
}

/** Tasks as documents, for what is searched together with them. */
export const readTasksForIndex = async (
  db: Sql,
  tenantId: string,
  ids: readonly string[],
): Promise<IndexedDocument[]> => (await findTasks(db, tenantId, ids)).map(indexedTask)

/** What search is handed of tasks; a task's ref is its id. */
export const taskSource = (db: Db): SearchSource => {
  const find = (tenantId: string, names: readonly { ref: string }[]) =>
    findTasks(
      db.ofTenant(tenantId),
      tenantId,
      names.map(({ ref }) => ref),
    )
  return {
    exactNames: idsIn,
    readForIndex: async (tenantId, names) => (await find(tenantId, names)).map(indexedTask),
    readPageForIndex: async (tenantId, after, count, scope) =>
      (await listTasksAfter(db.ofTenant(tenantId), tenantId, after?.ref ?? '', count, scope)).map(indexedTask),
    readTexts: async (tenantId, names) =>
      (await find(tenantId, names)).map((task) => {
        const { title, description } = textOf(task)
        return { ref: task.id, title, body: description }
      }),
    readSubjects: (tenantId, after, count) => listTaskNamesAfter(db.ofTenant(tenantId), tenantId, after, count),
    readTextToEmbed: async (tenantId, id) => {
      const [task] = await findTasks(db.ofTenant(tenantId), tenantId, [id], { areHiddenWanted: true })
      if (!task) return undefined
      const { title, description } = textOf(task)
      return `${title}\n${description}`
    },
  }
}
