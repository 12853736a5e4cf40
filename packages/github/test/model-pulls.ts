import assert from 'node:assert/strict'
import type { Task } from 'worklore-client'
import { issueOf, type LinkedPull, linkOf } from '../src/sync/link.js'
import { referencesOf } from '../src/sync/references.js'
import type { GitHubStub, StubIssue } from './stub/github.js'

type Pull = StubIssue & { pull: NonNullable<StubIssue['pull']> }

const isPull = (issue: StubIssue): issue is Pull => issue.pull !== undefined

const pullsOf = ({ issues }: GitHubStub): Pull[] => [...issues.values()].filter(isPull)

interface PullEditorOptions {
  stub: GitHubStub
  below(count: number): number
  one<T>(all: readonly T[]): T | undefined
  text(): string
  listTasks(): Promise<Task[]>
}

/** Random edits of pull requests. */
export const createPullEditor = ({ stub, below, one, text, listTasks }: PullEditorOptions) => {
  const reference = async (): Promise<string> => {
    const task = one(await listTasks())
    const issue = one([...stub.issues.values()])
    const subject = below(2) === 0 && task ? task.id : `#${issue?.number ?? 1}`
    return `${one(['Fixes', 'See', 'closes', 'Resolves:'])} ${subject}`
  }
  const body = async (): Promise<string> => {
    const references: string[] = []
    for (let count = below(3); count > 0; count--) references.push(await reference())
    return references.join('\n')
  }
  const openOne = (): Pull | undefined => one(pullsOf(stub).filter(({ state }) => state === 'open'))

  /** GitHub closes the issues of its own repository that a merged pull request names so. */
  const merge = ({ number, title, body, pull }: Pull): void => {
    stub.edit(number, { state: 'closed', pull: { ...pull, mergedAtMs: Date.now() } })
    for (const [closed, isClosing] of referencesOf(stub.repo, [title, body]).issues) {
      const issue = stub.issues.get(closed)
      if (isClosing && issue?.state === 'open' && !issue.pull && below(2) === 0)
        stub.edit(closed, { state: 'closed', reason: 'completed' })
    }
  }

  const edits: ((pull: Pull) => Promise<void> | void)[] = [
    ({ number }) => void stub.edit(number, { title: text() }),
    async ({ number }) => void stub.edit(number, { body: await body() }),
    async ({ number }) => void stub.edit(number, { body: await body() }),
    merge,
    merge,
    ({ number }) => void stub.edit(number, { state: 'closed' }),
    ({ number, pull }) => void stub.edit(number, { pull: { ...pull, draft: !pull.draft } }),
    ({ number }) => void stub.comment(number, text()),
    ({ number, pull }) => {
      const reviews: [string, string][] = [...pull.reviews, ['ada', one(['APPROVED', 'CHANGES_REQUESTED'])!]]
      stub.edit(number, { pull: { ...pull, reviews } })
    },
    // Checks end without a change of the pull request.
    ({ pull }) => {
      pull.checks = one([['success'], ['failure', 'success'], [null], []])!
    },
  ]

  return async (): Promise<void> => {
    const pull = below(4) > 0 ? openOne() : one(pullsOf(stub))
    if (!pull || below(4) === 0) {
      const state = { draft: below(4) === 0, mergedAtMs: null, reviews: [], checks: [] }
      stub.create({ title: text(), body: await body(), pull: state })
    } else if (pull.state === 'open') await one(edits)!(pull)
    else if (pull.pull.mergedAtMs === null && below(2) === 0) stub.edit(pull.number, { state: 'open' })
    else stub.edit(pull.number, { body: await body() })
  }
}

/** The checks of a closed pull request are those that a run saw last. */
const stateOf = (
  { state, pull }: Pull,
  lastChecks: LinkedPull['checks'] = null,
): Pick<LinkedPull, 'state' | 'checks'> => {
  if (pull.mergedAtMs !== null) return { state: 'merged', checks: lastChecks }
  if (state === 'closed') return { state: 'closed', checks: lastChecks }
  const checks = pull.checks.includes(null) ? 'pending' : pull.checks.includes('failure') ? 'failed' : 'passed'
  const [, review] = pull.reviews.at(-1) ?? []
  const reviewed = review === undefined ? 'open' : review === 'APPROVED' ? 'approved' : 'changes_requested'
  return { state: pull.draft ? 'draft' : reviewed, checks: pull.checks.length === 0 ? null : checks }
}

/** Each task shows the pull requests that name it, as they are, and no others. */
export const checkPulls = (stub: GitHubStub, tasks: readonly Task[]): void => {
  for (const task of tasks) {
    const number = issueOf(task, stub.repo)
    const shown = Object.entries(linkOf(task).pulls ?? {})
      .map(([key, { applied: _, ...pull }]) => [key, pull] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const expected = pullsOf(stub)
      .flatMap((pull) => {
        const named = referencesOf(stub.repo, [pull.title, pull.body])
        const found = [named.tasks.get(task.id), number === undefined ? undefined : named.issues.get(number)]
        if (found.every((closes) => closes === undefined)) return []
        const url = `https://github.com/${stub.repo}/pull/${pull.number}`
        const closes = found.includes(true)
        const key = `${stub.repo}#${pull.number}`
        const state = stateOf(pull, linkOf(task).pulls?.[key]?.checks)
        return [[key, { url, title: pull.title, ...state, closes }] as const]
      })
      .sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepEqual(shown, expected, `pull requests of ${task.id}`)
    for (const [key, { closes, state }] of expected)
      if (closes && state === 'merged')
        assert.ok(linkOf(task).pulls![key]!.applied, `the rule of ${key} for ${task.id}`)
  }
}
