import type { Dialect } from '../../../db/dialect.js'
import type { Category } from '../../../tenancy/projects/statuses.js'
import type { Condition, Param } from '../lists/condition-store.js'
import { waitsForResource } from '../resources/store.js'
import type { StoredTask, TaskCounts } from '../stored-task.js'

/** The part of a task that decides whether it is in the queue. */
export interface Readiness
  extends Pick<TaskCounts, 'openBlockers' | 'blockedAncestors' | 'openChildren' | 'openQuestions'> {
  statusCategory: Category
  attempts: number
  wakeAtMs: number | null
}

/** The caller and the time for which readiness is computed. */
export interface Asker {
  userId: string | null
  /** Projects that the caller can read but cannot work in. */
  viewedProjectIds: readonly string[]
  atMs: number
  /** Whether any task of the tenant reserves a resource that a ready task could wait for. */
  areResourcesReserved: boolean
}

/** A reason why a task cannot be claimed. */
interface Obstacle {
  /** SQL condition on a task `t`. */
  text(dialect: Dialect): string
  params(asker: Asker): Param[]
  /** Whether the obstacle must be checked for the asker. Omitted if it always must. */
  applies?(asker: Asker): boolean
  /** Whether the obstacle keeps a task out of the queue. Omitted if it depends on the caller or on other claims. */
  holds?(task: Readiness, maxAttempts: number): boolean
}

export const exhaustedText = `(t.attempts > 0 and t.attempts >=
  (select p.max_attempts from projects p where p.tenant_id = :tenant and p.id = t.project_id))`

/**
 * Defines readiness: a task is ready if it has none of these obstacles. The first one that applies is reported to the
 * caller as the reason.
 */
const obstacles = {
  held: {
    text: () => '(coalesce(t.claim_expires_at, 0) > ?)',
    params: ({ atMs }) => [atMs],
  },
  blocked: {
    text: () => '(t.open_blockers > 0 or t.blocked_ancestors > 0)',
    params: () => [],
    holds: ({ openBlockers, blockedAncestors }) => openBlockers > 0 || blockedAncestors > 0,
  },
  parent: {
    text: () => '(t.open_children > 0)',
    params: () => [],
    holds: ({ openChildren }) => openChildren > 0,
  },
  asked: {
    text: () => '(t.open_questions > 0)',
    params: () => [],
    holds: ({ openQuestions }) => openQuestions > 0,
  },
  exhausted: {
    text: () => exhaustedText,
    params: () => [],
    holds: ({ attempts }, maxAttempts) => attempts >= maxAttempts,
  },
  early: {
    text: () => '(coalesce(t.not_before, 0) > ?)',
    params: ({ atMs }) => [atMs],
    holds: ({ wakeAtMs }) => wakeAtMs !== null,
  },
  assigned: {
    text: () => "(coalesce(t.assignee_id, '') not in ('', ?))",
    params: ({ userId }) => [userId ?? ''],
  },
  // A task whose claim has expired stays in progress until the service updates it.
  working: {
    text: () => "(t.status <> 'todo' and (t.status <> 'in_progress' or t.claim_expires_at is null))",
    params: () => [],
    holds: ({ statusCategory }) => statusCategory !== 'todo',
  },
  reserved: {
    text: (dialect) => waitsForResource(dialect, 't.id'),
    params: ({ atMs }) => [atMs],
    applies: ({ areResourcesReserved }) => areResourcesReserved,
  },
  viewed: {
    text: (dialect) => dialect.isAmong('t.project_id', 'text'),
    params: ({ viewedProjectIds }) => [viewedProjectIds],
    applies: ({ viewedProjectIds }) => viewedProjectIds.length > 0,
  },
} satisfies Record<string, Obstacle>

const entries: [string, Obstacle][] = Object.entries(obstacles)

/** Whether a task belongs in the queue. Ignores the assignee, because the queue itself serves tasks by assignee. */
export const isReady = (task: Readiness, maxAttempts: number): boolean =>
  entries.every(([, { holds }]) => holds?.(task, maxAttempts) !== true)

/** Whether a task is waiting to be done but has used up its attempts. */
export const isExhausted = (
  { statusCategory, attempts }: Pick<Readiness, 'statusCategory' | 'attempts'>,
  maxAttempts: number,
): boolean => statusCategory === 'todo' && attempts > 0 && attempts >= maxAttempts

export const readinessOf = ({ doc, counts, wakeAtMs }: StoredTask): Readiness => ({
  statusCategory: doc.statusCategory,
  attempts: doc.attempts,
  wakeAtMs,
  ...counts,
})

/**
 * Returns the SQL condition that the asker could claim the task `t`. Also true if its claim has expired or its start
 * time has come and the service has not updated the task yet.
 */
export const readyCondition = (asker: Asker): Condition => {
  const checked = entries.filter(([, { applies }]) => applies?.(asker) ?? true)
  return {
    name: `no ${checked.map(([name]) => name).join(' ')}`,
    text: (dialect) => checked.map(([, { text }]) => `not ${text(dialect)}`).join(' and '),
    params: checked.flatMap(([, { params }]) => params(asker)),
  }
}

/** The obstacles that `obstacleCases` distinguishes. */
const shown = ['held', 'blocked', 'parent', 'asked', 'exhausted', 'early', 'assigned'] as const
export type ShownObstacle = (typeof shown)[number]

/** Returns the branches of an SQL `case` that yields the name of the first obstacle of a task `t`. */
export const obstacleCases = (asker: Asker): Pick<Condition, 'text' | 'params'> => ({
  text: (dialect) =>
    shown.map((name) => `when ${(obstacles[name] as Obstacle).text(dialect)} then '${name}'`).join(' '),
  params: shown.flatMap((name) => (obstacles[name] as Obstacle).params(asker)),
})
