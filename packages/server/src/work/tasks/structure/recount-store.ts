import type { Sql, Statement } from '../../../db/port.js'

/** SQL for the counts of a task that other records determine. */
const counts = {
  open_blockers: `(select count(*) from task_links l join tasks b on b.tenant_id = :tenant and b.id = l.other_id
    where l.tenant_id = :tenant and l.task_id = t.id and l.kind = 'blocker' and b.status not in ('done', 'cancelled'))`,
  total_children: '(select count(*) from tasks c where c.tenant_id = :tenant and c.parent_id = t.id)',
  open_children: `(select count(*) from tasks c
    where c.tenant_id = :tenant and c.parent_id = t.id and c.status not in ('done', 'cancelled'))`,
  comment_count: '(select count(*) from comments m where m.tenant_id = :tenant and m.task_id = t.id)',
  open_questions: `(select count(*) from questions q
    where q.tenant_id = :tenant and q.task_id = t.id and q.state = 'open')`,
} as const

const names = Object.keys(counts) as (keyof typeof counts)[]

type Counts = Readonly<Record<keyof typeof counts, number>>

export interface CountedTask {
  id: string
  stored: Counts
  real: Counts
}

/** Computes the counts of the next tasks, in ID order. */
export const countTasksAfter = async (
  db: Sql,
  tenantId: string,
  after: string,
  count: number,
): Promise<CountedTask[]> => {
  const columns = names.map((name) => `t.${name}, cast(${counts[name]} as bigint) as real_${name}`)
  const rows = await db.all<Record<string, number> & { id: string }>(
    `select t.id, ${columns.join(', ')} from tasks t
     where t.tenant_id = ? and t.id > ? order by t.id limit cast(? as bigint)`,
    [tenantId, after, count],
  )
  const countsOf = (row: Record<string, number>, prefix: string): Counts =>
    Object.fromEntries(names.map((name) => [name, row[`${prefix}${name}`]])) as Counts
  return rows.map((row) => ({ id: row.id, stored: countsOf(row, ''), real: countsOf(row, 'real_') }))
}

export const isCorrect = ({ stored, real }: CountedTask): boolean => names.every((name) => stored[name] === real[name])

/** Stores the counts of a task, which a response shows without a new version. */
export const setCounts = (tenantId: string, { id, real }: CountedTask): Statement => ({
  text: `update tasks set ${names.map((name) => `${name} = ?`).join(', ')}, derived_count = derived_count + 1
    where tenant_id = ? and id = ?`,
  params: [...names.map((name) => real[name]), tenantId, id],
})
