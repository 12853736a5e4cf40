import assert from 'node:assert/strict'
import {
  type Comment,
  ConflictError,
  type HeldClaim,
  NotFoundError,
  PreconditionFailedError,
  type Task,
} from 'worklore-client'
import { randomFrom } from 'worklore-testing/random'
import { issueOf } from '../src/sync/link.js'
import { copyFromGitHub, copyFromWorklore, withoutIssueMarker } from '../src/sync/markers.js'
import { canonical } from '../src/sync/text.js'
import { stateOfIssue, stateOfTask } from '../src/sync/values.js'
import type { Bridged } from './bridged.js'
import { checkPulls, createPullEditor } from './model-pulls.js'
import type { StubComment, StubIssue } from './stub/github.js'

const words = ['alpha', 'beta', 'gamma', 'delta', 'épsilon', 'line\r\nbreak', '`code`', '@ada', '#1', 'end  ']
const labels = ['bug', 'Docs', 'now', 'later']

/** Those of the project, and those that were moved out of it. */
const listTasks = async ({ wl, stub, project }: Bridged): Promise<Task[]> => {
  const tasks: Task[] = []
  for await (const task of wl.tasks.list({ sort: 'createdAt', limit: 100 }))
    if (task.projectId === project.id || issueOf(task, stub.repo) !== undefined) tasks.push(task)
  return tasks
}

const listComments = async ({ wl }: Bridged, id: string): Promise<Comment[]> => {
  const comments: Comment[] = []
  for await (const comment of wl.tasks.comments(id).list({ limit: 100 })) comments.push(comment)
  return comments
}

/** A task that is claimed, closed or gone refuses some edits. */
const ignoreRefusal = (error: unknown): void => {
  const refusals = [ConflictError, NotFoundError, PreconditionFailedError]
  if (!refusals.some((refusal) => error instanceof refusal)) throw error
}

/** Random edits on both sides, as people make them. `elsewhere` is a project that tasks are moved to. */
export const createEditor = (bridged: Bridged, seed: number, elsewhere: string) => {
  const random = randomFrom(seed)
  const { stub, wl, project } = bridged
  const below = (count: number): number => Math.floor(random() * count)
  const one = <T>(all: readonly T[]): T | undefined => all[below(all.length)]
  let said = 0
  const text = (): string => `${one(words)} ${one(words)} ${seed}-${++said}`
  const someLabels = (): string[] => labels.filter(() => random() < 0.4)

  /** Issues of deleted tasks: what happens to them there stays there. */
  const orphans = new Set<number>()
  const issues = (): StubIssue[] =>
    [...stub.issues.values()].filter(({ number, pull }) => !orphans.has(number) && !pull)
  const claims = new Map<string, HeldClaim>()
  const editPull = createPullEditor({ stub, below, one, text, listTasks: () => listTasks(bridged) })
  const editsThere: ((issue: StubIssue) => void)[] = [
    ({ number }) => void stub.edit(number, { title: text() }),
    ({ number }) => void stub.edit(number, { body: text() }),
    ({ number }) =>
      void stub.edit(number, { state: 'closed', reason: one(['completed', 'not_planned', 'duplicate'])! }),
    ({ number }) => void stub.edit(number, { state: 'open' }),
    ({ number }) => void stub.edit(number, { labels: someLabels() }),
    ({ number }) => void stub.edit(number, { assignees: one([[], ['ada'], ['bob']])! }),
    ({ number }) => void stub.comment(number, text(), 'octocat'),
    ({ number }) => {
      const comment = one([...stub.comments.values()].filter((each) => each.issue === number))
      if (comment)
        stub.editComment(
          comment.id,
          comment.body.replace(/\d+-\d+/, (found) => `${found}!`),
        )
    },
    ({ number }) => {
      const comment = one([...stub.comments.values()].filter((each) => each.issue === number))
      if (comment) stub.deleteComment(comment.id)
    },
  ]
  const passChecks = async ({ id, checks }: Task): Promise<void> => {
    for (const check of checks)
      if (check.state === 'open') await wl.tasks.decideCheck(id, check.id, { state: 'passed', evidence: 'Seen' })
  }
  const editsHere: ((task: Task) => Promise<unknown>)[] = [
    ({ id }) => wl.tasks.update(id, { title: text() }),
    ({ id }) => wl.tasks.update(id, { description: text() }),
    ({ id }) => wl.tasks.update(id, { status: one(['todo', 'in_progress', 'in_review', 'done', 'cancelled'])! }),
    ({ id }) => wl.tasks.update(id, { labels: someLabels() }),
    ({ id }) => wl.tasks.comments(id).create({ body: text() }),
    async ({ id }) => {
      const comment = one(await listComments(bridged, id))
      const body = comment?.body.replace(/\d+-\d+/, (found) => `${found}?`)
      if (comment) await wl.tasks.comments(id).update(comment.id, { body: body! })
    },
    async ({ id }) => {
      const comment = one(await listComments(bridged, id))
      if (comment) await wl.tasks.comments(id).delete(comment.id)
    },
    ({ id, projectId }) => wl.tasks.move(id, projectId === project.id ? elsewhere : project.id),
    async ({ id }) => void claims.set(id, await wl.tasks.claim(id)),
    async ({ id }) => {
      await claims.get(id)?.release({ status: one(['todo', 'in_review', 'done'])! })
      claims.delete(id)
    },
    ({ id }) => wl.tasks.update(id, { checks: [{ text: text() }] }),
    passChecks,
  ]

  const edit = async (): Promise<void> => {
    const chance = random()
    if (chance < 0.1) stub.create({ title: text(), body: text(), labels: someLabels() })
    else if (chance < 0.2) await wl.tasks.create({ projectId: project.id, title: text(), labels: someLabels() })
    else if (chance < 0.23) {
      const issue = one(issues())
      if (issue) stub.deleteIssue(issue.number)
    } else if (chance < 0.26) {
      const task = one(await listTasks(bridged))
      const number = task && issueOf(task, stub.repo)
      if (number) orphans.add(number)
      if (task) await wl.tasks.delete(task.id)
    } else if (chance < 0.36) {
      await editPull()
    } else if (chance < 0.63) {
      const issue = one(issues())
      if (issue) one(editsThere)!(issue)
    } else {
      const task = one(await listTasks(bridged))
      if (task) await one(editsHere)!(task).catch(ignoreRefusal)
    }
  }

  /** Ends what keeps the bridge from a task. */
  const settle = async (): Promise<void> => {
    for (const claim of claims.values()) await claim.release().catch(ignoreRefusal)
    for (const task of await listTasks(bridged)) {
      // The checks of a cancelled task cannot be decided, and keep it from being done.
      if (task.statusCategory === 'cancelled' && task.checks.some(({ state }) => state === 'open'))
        await wl.tasks.update(task.id, { status: 'todo' })
      await passChecks(task).catch(ignoreRefusal)
    }
  }
  return { edit, below, settle }
}

const sorted = (texts: Iterable<string>): string[] => [...texts].sort()

const textThere = ({ body, author }: StubComment, bot: string): string => {
  const comment = { body, user: { login: author } }
  return canonical(copyFromWorklore(comment as never, { logins: [bot], keys: [] })?.text ?? body)
}

/** Both sides have the same issues and tasks with the same fields and comments, each once. */
export const checkEqual = async (bridged: Bridged): Promise<void> => {
  const { stub, wl } = bridged
  const { key } = await wl.me()
  const writers = { logins: [stub.bot], keys: [key.id] }
  const tasks = await listTasks(bridged)
  const byIssue = new Map(tasks.map((task) => [task.externalId, task]))
  assert.equal(byIssue.size, tasks.length, 'an issue has two tasks')
  const markers = [...stub.issues.values()].map(({ body }) => /<!-- worklore:\S+/.exec(body)?.[0]).filter(Boolean)
  assert.equal(new Set(markers).size, markers.length, 'a task has two issues')
  const open = [...stub.issues.values()].filter(({ number }) => byIssue.has(`${stub.repo}#${number}`))
  assert.equal(open.length, tasks.length, 'a task has no issue')
  checkPulls(stub, tasks)
  for (const issue of stub.issues.values()) {
    if (issue.pull) continue
    const task = byIssue.get(`${stub.repo}#${issue.number}`)
    if (!task) {
      // Of a deleted task.
      assert.equal(issue.state, 'closed', `#${issue.number} has no task`)
      continue
    }
    const where = `#${issue.number} ${task.id}`
    assert.equal(task.title, issue.title, where)
    assert.equal(canonical(task.description), canonical(withoutIssueMarker(issue.body)), where)
    assert.equal(stateOfTask(task), stateOfIssue({ state: issue.state, state_reason: issue.reason }), where)
    assert.deepEqual(
      sorted(task.labels.map((label) => label.toLowerCase())),
      sorted(issue.labels.map((label) => label.toLowerCase())),
      where,
    )
    assert.equal(task.assignee?.name.toLowerCase() ?? '', issue.assignees[0] ?? '', where)
    const there = [...stub.comments.values()].filter((each) => each.issue === issue.number)
    const here = await listComments(bridged, task.id)
    assert.deepEqual(
      sorted(here.map((comment) => canonical(copyFromGitHub(comment, writers)?.text ?? comment.body))),
      sorted(there.map((comment) => textThere(comment, stub.bot))),
      where,
    )
  }
}
