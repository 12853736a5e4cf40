import type { Json } from '../../base/json.js'
import type { Dialect } from '../../db/dialect.js'
import { countsOf } from './checks/rules.js'
import { taskRecord } from './fields.js'
import type { Task, TaskVersion } from './schema.js'
import type { StoredTask, TaskDoc } from './stored-task.js'

declare const isStored: unique symbol

/**
 * A document as the column `doc` holds it: the JSON of the task up to what is read from elsewhere, so that an answer is
 * several columns put together. Only this file knows it; others use its functions.
 */
export type StoredDoc = string & { readonly [isStored]: true }

/** Most tasks have none of it, and a constant takes the store a fraction of the time. */
const derivedJson = `case
  when t.claim is null and t.open_blockers = 0 and t.total_children = 0 and t.comment_count = 0
      and t.open_questions = 0 and t.stale is null
    then ',"claim":null,"openBlockers":0,"children":{"total":0,"open":0},"commentCount":0,"openQuestions":0,"stale":[]'
  else concat(',"claim":', coalesce(t.claim, 'null'), ',"openBlockers":', t.open_blockers,
    ',"children":{"total":', t.total_children, ',"open":', t.open_children, '},"commentCount":', t.comment_count,
    ',"openQuestions":', t.open_questions, ',"stale":', coalesce(t.stale, '[]'))
  end`

/** A column of the assignee. Read for tasks that have one; a join would look for that of each. */
export const ofAssignee = (column: string): string =>
  `(select u.${column} from users u where u.tenant_id = :tenant and u.id = t.assignee_id)`
const assigneeJson = `case when t.assignee_id is null then 'null' else coalesce(${ofAssignee('assignee_doc')}, 'null') end`

/** The answer of a task `t` with more fields. The brackets let the long text be copied once. */
export const jsonWith = (doc: 't.doc' | 't.card', ...more: string[]): string =>
  `${doc} || (${[`',"assignee":'`, assigneeJson, derivedJson, `',"rank":'`, 't.rank', ...more, `'}'`].join(' || ')})`
export const taskJson = jsonWith('t.doc')

const openBlockerIds = ({ joined, joinByKey }: Dialect): string => `case when t.open_blockers = 0 then '[]' else (
    select '[' || coalesce(${joined(`'"' || open.id || '"'`, ',')}, '') || ']' from (
      select b.id from task_links l ${joinByKey('tasks', 'b', { tenant_id: ':tenant', id: 'l.other_id' })}
      where l.tenant_id = :tenant and l.task_id = t.id and l.kind = 'blocker' and b.status not in ('done', 'cancelled')
      order by b.id) open)
  end`

/** SQL for the card of a task `t`, which lacks the long fields. `isReady` is the condition for its field `ready`. */
export const cardJson = (dialect: Dialect, isReady: string): string =>
  jsonWith(
    't.card',
    `',"openBlockerIds":'`,
    openBlockerIds(dialect),
    `',"ready":'`,
    `case when ${isReady} then 'true' else 'false' end`,
  )

/** The same for a task that is at hand. */
export const taskJsonOf = (
  { doc, assignee, claims, counts, stale, rank }: StoredTask,
  stored = storedDoc(doc),
): Json<Task> => {
  const { openBlockers, totalChildren, openChildren, commentCount, openQuestions } = counts
  const derived = `"openBlockers":${openBlockers},"children":{"total":${totalChildren},"open":${openChildren}},"commentCount":${commentCount},"openQuestions":${openQuestions},"stale":${stale ?? '[]'},"rank":${rank}`
  return `${stored},"assignee":${JSON.stringify(assignee)},"claim":${JSON.stringify(claims.current)},${derived}}`
}

/** A version of a task: its fields without the claim and what changes without a new version. */
export const versionJsonOf = (
  { doc, assignee }: Pick<StoredTask, 'doc' | 'assignee'>,
  stored = storedDoc(doc),
): Json<TaskVersion> => `${stored},"assignee":${JSON.stringify(assignee)}}`

export const parseDoc = (doc: StoredDoc): TaskDoc => JSON.parse(`${doc}}`) as TaskDoc
export const storedDoc = (doc: TaskDoc): StoredDoc => JSON.stringify(doc).slice(0, -1) as StoredDoc

/** Fields that are undefined are left out of JSON. */
const withoutLongFields = Object.fromEntries(taskRecord.notOnCards.map((name) => [name, undefined]))

/** The same of the fields that a card shows. */
export const openCard = (doc: TaskDoc): string =>
  JSON.stringify({ ...doc, ...withoutLongFields, checks: countsOf(doc.checks) }).slice(0, -1)
