import { type Static, Type } from 'typebox'
import { AppError, type ErrorDetail } from '../../base/errors.js'
import { nullable } from '../../base/fields.js'
import type { Report } from '../../base/record.js'

/** The built-in statuses. Each status of a project has one of them as its category, and every rule goes by that. */
export const categories = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const
export type Category = (typeof categories)[number]

export const isCategory = (text: string): text is Category => (categories as readonly string[]).includes(text)

const maxStatuses = 30

/** A status by its name in requests and answers. */
export const statusText = {
  minLength: 1,
  maxLength: 32,
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  patternMessage: 'must be lowercase letters, digits, "_" and "-", starting with a letter or digit',
}

const ProjectStatus = Type.Object(
  {
    status: Type.String({
      ...statusText,
      description: 'What tasks, requests and filters call it: 1 to 32 of a-z, 0-9, `_` and `-`.',
      examples: ['in_qa'],
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      patternMessage: 'must not be blank',
      description: 'What people call it.',
      examples: ['In QA'],
    }),
    category: Type.Enum([...categories], {
      description: 'The built-in status whose rules apply to it.',
      examples: ['in_review'],
    }),
  },
  { additionalProperties: false },
)
export type ProjectStatus = Static<typeof ProjectStatus>

export const Statuses = nullable(
  Type.Array(ProjectStatus, {
    maxItems: maxStatuses,
    description: `The statuses of the project, in the order of its board: at most ${maxStatuses}, at least one of each category. The service itself sets the first of a category. Null for the built-in ones: ${categories.join(', ')}.`,
    examples: [null],
  }),
)
/** Null stands for the built-in ones. */
export type Statuses = Static<typeof Statuses>

/** As they are stored: the built-in ones as nothing. */
export const parseStatuses = (json: string | null): Statuses => (json === null ? null : (JSON.parse(json) as Statuses))

/** The status of a task. */
export interface TaskStatus {
  status: string
  statusCategory: Category
}

/** What the service sets by itself. */
export const firstOf = (statuses: Statuses, category: Category): TaskStatus => ({
  status: statuses?.find((one) => one.category === category)?.status ?? category,
  statusCategory: category,
})

/** The status that a caller names: a built-in one also stands for the first of its category. */
export const statusNamed = (statuses: Statuses, name: string): TaskStatus | undefined => {
  const own = statuses?.find(({ status }) => status === name)
  if (own) return { status: name, statusCategory: own.category }
  return isCategory(name) ? firstOf(statuses, name) : undefined
}

/** The status of a task in a project where it was not before, or was earlier: another one of its category if need be. */
export const statusIn = (statuses: Statuses, { status, statusCategory }: TaskStatus): TaskStatus => {
  const known = statusNamed(statuses, status)
  return known?.statusCategory === statusCategory ? known : firstOf(statuses, statusCategory)
}

/** More than a project can have; those of several projects may be more. */
const maxNamed = 40

/** What is wrong with a status that a project does not have. */
export const unknownStatus = (statuses: Statuses): ErrorDetail => {
  const known = [...new Set([...(statuses ?? []).map(({ status }) => status), ...categories])]
  const more = known.length > maxNamed ? ' and others' : ''
  return { path: 'status', message: `must be one of ${known.slice(0, maxNamed).join(', ')}${more}` }
}

/** Validates the statuses of a project from a request. */
export const readStatuses = (statuses: Statuses, report: Report): Statuses => {
  if (!statuses) return null
  const seen = new Set<string>()
  for (const [at, { status, category }] of statuses.entries()) {
    if (seen.has(status)) report(`must not repeat "${status}"`, `${at}.status`)
    seen.add(status)
    if (isCategory(status) && category !== status) {
      report(`must be ${status}, since the status is built in`, `${at}.category`)
    }
  }
  const missing = categories.filter((category) => !statuses.some((one) => one.category === category))
  if (missing.length > 0) {
    report(`must have a status of each category; missing: ${missing.join(', ')} (null for the built-in statuses)`)
  }
  return statuses
}

const builtIn: readonly ProjectStatus[] = categories.map((category) => ({ status: category, name: category, category }))

/** The statuses that tasks could have before and cannot have after, or only in another category. */
export const removedStatuses = (before: Statuses, after: Statuses): string[] => {
  const kept = new Map((after ?? builtIn).map(({ status, category }) => [status, category]))
  return (before ?? builtIn).filter(({ status, category }) => kept.get(status) !== category).map(({ status }) => status)
}

/** Refuses to take statuses away that tasks have. */
export const refuseUsed = (removed: readonly string[], counts: ReadonlyMap<string, number>): void => {
  const used = removed.filter((status) => counts.has(status))
  if (used.length === 0) return
  const count = used.reduce((sum, status) => sum + counts.get(status)!, 0)
  const told = used.map((status) => `"${status}" (${counts.get(status)})`).join(', ')
  throw new AppError(
    'status_in_use',
    `Tasks still have statuses that would be removed or get another category: ${told}. Give them another status first.`,
    { count, statuses: used },
  )
}
