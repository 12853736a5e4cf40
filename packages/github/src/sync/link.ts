import type { Task } from 'worklore-client'

export type Side = 'github' | 'worklore'

/** What a field had on each side when both were last in step, as digests; `cut` is the side that has it shortened. */
export type FieldBase = [github: string, worklore: string, cut?: Side]

/** Of a field that was never in step: whatever it has is a change. */
export const unknownBase: FieldBase = ['', '']

export interface Base {
  title: FieldBase
  body: FieldBase
  state: FieldBase
  assignee: FieldBase
  labels: { github: string[]; worklore: string[] }
  milestone: string | null
}

export interface LinkedPull {
  url: string
  title: string
  state: 'draft' | 'open' | 'review' | 'approved' | 'changes_requested' | 'merged' | 'closed'
  /** Those of a merged or closed pull request stay as they were last known. */
  checks: 'passed' | 'failed' | 'pending' | null
  /** Whether the pull request says that it closes the task, and not only mentions it. */
  closes: boolean
  /** The rule for merged pull requests was applied. */
  applied?: true
}

/** `metadata.github` of a task. */
export interface Link {
  repo?: string
  number?: number
  url?: string
  author?: string
  base?: Base
  /** An issue is being created by this run: it may exist without being noted here. */
  creating?: { run: string; at: string }
  /** The comments from before the link was made are not copied yet. */
  backfill?: true
  /** The issue is gone. */
  deleted?: true
  /** Comments of the task that are on GitHub, and the ids of their copies. */
  sent?: Record<string, number>
  pulls?: Record<string, LinkedPull>
}

export const linkOf = ({ metadata }: Pick<Task, 'metadata'>): Link => {
  const { github } = metadata
  return typeof github === 'object' && github !== null ? (github as Link) : {}
}

export const externalIdOf = (repo: string, number: number): string => `${repo}#${number}`

/** The issue of a task in a repository. */
export const issueOf = ({ externalId }: Pick<Task, 'externalId'>, repo: string): number | undefined => {
  const [name, number, ...rest] = (externalId ?? '').split('#')
  if (rest.length > 0 || name?.toLowerCase() !== repo.toLowerCase() || !/^[1-9]\d*$/.test(number ?? ''))
    return undefined
  return Number(number)
}

const maxSent = 200

export const withSent = (link: Link, sent: Record<string, number>): Link => ({
  ...link,
  sent: Object.fromEntries(Object.entries({ ...link.sent, ...sent }).slice(-maxSent)),
})
