/** What the bridge reads of GitHub's records. */
interface Account {
  login: string
}

export interface Issue {
  id: number
  number: number
  title: string
  body: string | null
  state: string
  state_reason: string | null
  labels: (string | { name?: string | null })[]
  assignees: Account[]
  milestone: { title: string } | null
  user: Account | null
  html_url: string
  repository_url: string
  created_at: string
  updated_at: string
  /** Only a pull request has it. */
  pull_request?: { merged_at?: string | null }
}

export interface IssueComment {
  id: number
  body: string
  user: Account | null
  html_url: string
  issue_url: string
  created_at: string
  updated_at: string
}

/** Of the events of an issue, those that say when a field changed. */
export interface IssueEvent {
  event: string
  created_at: string
}

export interface Pull {
  draft: boolean
  state: string
  merged_at: string | null
  updated_at: string
  head: { sha: string; ref: string }
}

export interface Review {
  user: Account | null
  state: string
}

export interface CheckRun {
  status: string
  conclusion: string | null
}

export interface IssueFields {
  title?: string
  body?: string
  labels?: string[]
  assignees?: string[]
}

export type IssuePatch = IssueFields & {
  state?: 'open' | 'closed'
  state_reason?: 'completed' | 'not_planned' | 'reopened'
}

export const issueNumberOf = ({ issue_url }: Pick<IssueComment, 'issue_url'>): number =>
  Number(issue_url.slice(issue_url.lastIndexOf('/') + 1))
