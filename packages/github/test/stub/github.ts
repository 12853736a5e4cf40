import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkAnswer, checkRequest, type Described, describedBy, sampleOf } from './description.js'

export interface StubIssue {
  number: number
  title: string
  body: string
  state: 'open' | 'closed'
  reason: string | null
  labels: string[]
  assignees: string[]
  milestone: string | null
  author: string
  createdAtMs: number
  updatedAtMs: number
  pull?: { draft: boolean; mergedAtMs: number | null; reviews: [string, string][]; checks: (string | null)[] }
}

export interface StubComment {
  id: number
  issue: number
  body: string
  author: string
  createdAtMs: number
  updatedAtMs: number
}

interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
  /** The connection ends in the middle of the body. */
  isCut?: boolean
}

export interface StubOptions {
  repo?: string
  /** The account of the token. */
  bot?: string
  /** Accounts that issues can be assigned to. */
  assignable?: string[]
  isTold?: boolean
}

export const stubToken = 'ghp_test'

const notFound: Reply = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com', status: '404' },
}

const unauthorized: Reply = { status: 401, body: { message: 'Bad credentials', status: '401' } }

const samples = {
  user: sampleOf('simple-user'),
  me: sampleOf('public-user'),
  repo: sampleOf('full-repository'),
  issue: sampleOf('issue'),
  comment: sampleOf('issue-comment'),
  pull: sampleOf('pull-request'),
  review: sampleOf('pull-request-review'),
  check: sampleOf('check-run'),
  milestone: {
    ...{ url: 'https://x.y', html_url: 'https://x.y', labels_url: 'https://x.y', id: 1, node_id: 'x', number: 1 },
    ...{ state: 'open', title: 'x', description: null, creator: null, open_issues: 1, closed_issues: 0 },
    ...{ created_at: '2026-01-31T09:00:00Z', updated_at: '2026-01-31T09:00:00Z', closed_at: null, due_on: null },
  },
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : JSON.parse(text)
}

/** GitHub, as far as its description and the bridge go: it keeps issues and comments, and holds every request and answer against the description. */
export const startGitHubStub = async ({
  repo: firstName = 'acme/site',
  bot = 'worklore-bot',
  assignable = [],
}: StubOptions = {}) => {
  /** The last is the name now; GitHub answers for all. */
  const names = [firstName]
  const repoName = (): string => names.at(-1)!
  const issues = new Map<number, StubIssue>()
  const comments = new Map<number, StubComment>()
  const events = new Map<number, { event: string; atMs: number }[]>()
  const deleted = new Set<number>()
  /** Where GitHub redirects requests about an issue to. */
  const transferred = new Map<number, string>()
  const labelNames = new Map<string, string>()
  const refusals: Reply[] = []
  const problems: unknown[] = []
  /** Told of each request before it is answered; may answer it. */
  let onRequest: (method: string, path: string) => Reply | undefined | Promise<undefined> = () => undefined
  /** May give another answer than the stub's, after the request was carried out. */
  let onReply: (method: string, path: string, reply: Reply) => Reply = (_, __, reply) => reply
  let lastNumber = 0
  let lastId = 0
  let requests = 0
  let writes = 0
  let aheadMs = 0

  const nowMs = (): number => Math.floor((Date.now() + aheadMs) / 1_000) * 1_000
  const time = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
  const account = (login: string) => ({ ...samples.user, login })
  const association = (login: string): string => (login === bot ? 'OWNER' : 'NONE')
  const webUrl = `https://github.com/${firstName}`

  const issueRecord = (issue: StubIssue) => ({
    ...samples.issue,
    id: 1_000_000 + issue.number,
    number: issue.number,
    title: issue.title,
    body: issue.body === '' ? null : issue.body,
    state: issue.state,
    state_reason: issue.reason,
    labels: issue.labels.map((name) => ({
      id: 1,
      node_id: 'x',
      url: 'https://x.y',
      name,
      description: null,
      color: 'f00',
      default: false,
    })),
    assignees: issue.assignees.map(account),
    assignee: issue.assignees[0] ? account(issue.assignees[0]) : null,
    milestone: issue.milestone === null ? null : { ...samples.milestone, title: issue.milestone },
    user: account(issue.author),
    author_association: association(issue.author),
    repository_url: `https://api.github.com/repos/${repoName()}`,
    html_url: `${webUrl}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`,
    comments: [...comments.values()].filter((each) => each.issue === issue.number).length,
    created_at: time(issue.createdAtMs),
    updated_at: time(issue.updatedAtMs),
    closed_at: issue.state === 'closed' ? time(issue.updatedAtMs) : null,
    ...(issue.pull && {
      draft: issue.pull.draft,
      pull_request: {
        ...{ url: 'https://x.y', html_url: 'https://x.y', diff_url: 'https://x.y', patch_url: 'https://x.y' },
        merged_at: issue.pull.mergedAtMs === null ? null : time(issue.pull.mergedAtMs),
      },
    }),
  })

  const commentRecord = (comment: StubComment) => ({
    ...samples.comment,
    id: comment.id,
    body: comment.body,
    user: account(comment.author),
    author_association: association(comment.author),
    html_url: `${webUrl}/${issues.get(comment.issue)?.pull ? 'pull' : 'issues'}/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: `https://api.github.com/repos/${repoName()}/issues/${comment.issue}`,
    created_at: time(comment.createdAtMs),
    updated_at: time(comment.updatedAtMs),
  })

  const eventOf = (number: number, event: string): void => {
    events.set(number, [...(events.get(number) ?? []), { event, atMs: nowMs() }])
  }

  /** GitHub keeps the spelling of a label that exists. */
  const labelOf = (name: string): string => {
    const known = labelNames.get(name.toLowerCase()) ?? name
    labelNames.set(name.toLowerCase(), known)
    return known
  }

  const edit = (
    number: number,
    patch: Partial<
      Pick<StubIssue, 'title' | 'body' | 'state' | 'reason' | 'labels' | 'assignees' | 'milestone' | 'pull'>
    >,
  ): StubIssue => {
    const issue = issues.get(number)!
    if (patch.title !== undefined && patch.title !== issue.title) eventOf(number, 'renamed')
    if (patch.state !== undefined && patch.state !== issue.state)
      eventOf(number, patch.state === 'closed' ? 'closed' : 'reopened')
    Object.assign(issue, patch, { updatedAtMs: nowMs() })
    if (patch.labels) issue.labels = [...new Set(patch.labels.map(labelOf))]
    if (issue.state === 'open' && patch.state === 'open') issue.reason = null
    return issue
  }

  const create = (fields: Partial<StubIssue> & { title: string }): StubIssue => {
    const issue: StubIssue = {
      number: ++lastNumber,
      ...{ body: '', state: 'open' as const, reason: null, assignees: [], milestone: null, author: 'octocat' },
      ...{ createdAtMs: nowMs(), updatedAtMs: nowMs() },
      ...fields,
      labels: (fields.labels ?? []).map(labelOf),
    }
    issues.set(issue.number, issue)
    return issue
  }

  const comment = (issue: number, body: string, author = 'octocat', atMs = nowMs()): StubComment => {
    const created = { id: ++lastId, issue, body, author, createdAtMs: atMs, updatedAtMs: atMs }
    comments.set(created.id, created)
    const of = issues.get(issue)!
    of.updatedAtMs = Math.max(of.updatedAtMs, atMs)
    return created
  }

  const pageOf = <T extends { updatedAtMs: number }>(
    all: T[],
    query: URLSearchParams,
    record: (each: T) => unknown,
  ): Reply => {
    const sinceMs = query.has('since') ? Date.parse(query.get('since')!) : 0
    const perPage = Number(query.get('per_page') ?? 30)
    const page = Number(query.get('page') ?? 1)
    const found = all.filter(({ updatedAtMs }) => updatedAtMs >= sinceMs)
    return { status: 200, body: found.slice((page - 1) * perPage, page * perPage).map(record) }
  }

  const byTime = <T extends { updatedAtMs: number }>(all: Iterable<T>): T[] =>
    [...all].sort((a, b) => a.updatedAtMs - b.updatedAtMs)

  type Handler = (values: string[], query: URLSearchParams, body: Record<string, unknown>) => Reply
  const base = '/repos/{owner}/{repo}'

  const withIssue = (number: string, handle: (issue: StubIssue) => Reply): Reply => {
    if (deleted.has(Number(number)))
      return {
        status: 410,
        body: { message: 'This issue was deleted', documentation_url: 'https://docs.github.com', status: '410' },
      }
    const location = transferred.get(Number(number))
    if (location !== undefined) return { status: 301, body: { message: 'Moved Permanently' }, headers: { location } }
    const issue = issues.get(Number(number))
    return issue ? handle(issue) : notFound
  }

  const unassignable = (body: Record<string, unknown>): Reply | undefined =>
    ((body.assignees ?? []) as string[]).every((login) => assignable.includes(login))
      ? undefined
      : {
          status: 422,
          body: { message: 'Validation Failed', documentation_url: 'https://docs.github.com', errors: [] },
        }

  const handlers: Record<string, Handler> = {
    'GET /user': () => ({ status: 200, body: { ...samples.me, login: bot } }),
    [`GET ${base}`]: () => ({ status: 200, body: { ...samples.repo, full_name: repoName(), has_issues: true } }),
    [`GET ${base}/assignees/{assignee}`]: ([, , login]) => (assignable.includes(login!) ? { status: 204 } : notFound),
    [`GET ${base}/issues`]: (_, query) => {
      assert.equal(query.get('state'), 'all')
      return pageOf(byTime(issues.values()), query, issueRecord)
    },
    [`POST ${base}/issues`]: (_, __, body) => {
      const refusal = unassignable(body)
      if (refusal) return refusal
      const {
        title,
        body: text = '',
        labels = [],
        assignees = [],
      } = body as { title: string; body?: string; labels?: string[]; assignees?: string[] }
      assert.ok(title.length <= 256 && text.length <= 65_536)
      return {
        status: 201,
        body: issueRecord(create({ title: title.trim(), body: text, labels, assignees, author: bot })),
      }
    },
    [`GET ${base}/issues/{issue_number}`]: ([, , number]) =>
      withIssue(number!, (issue) => ({ status: 200, body: issueRecord(issue) })),
    [`PATCH ${base}/issues/{issue_number}`]: ([, , number], _, body) =>
      withIssue(number!, () => {
        const refusal = unassignable(body)
        if (refusal) return refusal
        const { state_reason, ...patch } = body as { state_reason?: string; state?: 'open' | 'closed' }
        const reason = patch.state === 'closed' ? (state_reason ?? 'completed') : null
        return { status: 200, body: issueRecord(edit(Number(number), { ...patch, ...(patch.state && { reason }) })) }
      }),
    [`GET ${base}/issues/{issue_number}/events`]: ([, , number]) =>
      withIssue(number!, () => ({
        status: 200,
        body: (events.get(Number(number)) ?? []).map(({ event, atMs }, at) => ({
          ...sampleOf('renamed-issue-event'),
          ...{ id: at + 1, event, created_at: time(atMs), actor: account('octocat') },
        })),
      })),
    [`GET ${base}/issues/{issue_number}/comments`]: ([, , number], query) =>
      withIssue(number!, () =>
        pageOf(
          [...comments.values()].filter((each) => each.issue === Number(number)),
          query,
          commentRecord,
        ),
      ),
    [`POST ${base}/issues/{issue_number}/comments`]: ([, , number], _, body) =>
      withIssue(number!, () => {
        assert.ok((body.body as string).length <= 65_536)
        return { status: 201, body: commentRecord(comment(Number(number), body.body as string, bot)) }
      }),
    [`GET ${base}/issues/comments`]: (_, query) =>
      pageOf(byTime([...comments.values()].filter((each) => issues.has(each.issue))), query, commentRecord),
    [`GET ${base}/issues/comments/{comment_id}`]: ([, , id]) => {
      const found = comments.get(Number(id))
      return found ? { status: 200, body: commentRecord(found) } : notFound
    },
    [`PATCH ${base}/issues/comments/{comment_id}`]: ([, , id], _, body) => {
      const found = comments.get(Number(id))
      if (!found) return notFound
      Object.assign(found, { body: body.body, updatedAtMs: nowMs() })
      return { status: 200, body: commentRecord(found) }
    },
    [`DELETE ${base}/issues/comments/{comment_id}`]: ([, , id]) =>
      comments.delete(Number(id)) ? { status: 204 } : notFound,
    [`GET ${base}/pulls/{pull_number}`]: ([, , number]) =>
      withIssue(number!, (issue) => ({
        status: 200,
        body: {
          ...samples.pull,
          ...{ number: issue.number, state: issue.state, draft: issue.pull!.draft, merged_at: null },
          updated_at: time(issue.updatedAtMs),
          head: { ...(samples.pull.head as object), ref: 'topic', sha: `sha${issue.number}` },
        },
      })),
    [`GET ${base}/pulls/{pull_number}/reviews`]: ([, , number]) =>
      withIssue(number!, ({ pull }) => ({
        status: 200,
        body: pull!.reviews.map(([login, state]) => ({ ...samples.review, user: account(login), state })),
      })),
    [`GET ${base}/commits/{ref}/check-runs`]: ([, , ref]) => {
      const { checks } = issues.get(Number(ref!.slice(3)))!.pull!
      const runs = checks.map((conclusion) => ({
        ...samples.check,
        status: conclusion ? 'completed' : 'in_progress',
        conclusion,
      }))
      return { status: 200, body: { total_count: runs.length, check_runs: runs } }
    },
  }

  const replyTo = (method: string, described: Described, query: URLSearchParams, body: unknown): Reply => {
    const refusal = refusals.shift()
    if (refusal) return refusal
    const handler = handlers[`${method} ${described.template}`]!
    const [owner, name] = described.values
    if (described.template !== '/user' && !names.includes(`${owner}/${name}`.toLowerCase())) return notFound
    return handler(described.values, query, (body ?? {}) as Record<string, unknown>)
  }

  const server = createServer(async (request, response) => {
    requests++
    try {
      const url = new URL(request.url!, 'http://x')
      const method = request.method!
      if (method !== 'GET') writes++
      const body = await readBody(request)
      const given = await onRequest(method, `${url.pathname}${url.search}`)
      const { 'user-agent': agent = '', accept = '' } = request.headers
      assert.match(agent, /./)
      assert.match(accept, /application\/vnd\.github/, `${method} ${request.url} from ${agent} accepts ${accept}`)
      const described = describedBy(method, url.pathname)
      checkRequest(described, url.searchParams, body)
      const isKnown = request.headers.authorization === `token ${stubToken}`
      const right = isKnown ? (given ?? replyTo(method, described, url.searchParams, body)) : unauthorized
      checkAnswer(described, right.status, right.body)
      const reply = onReply(method, url.pathname, right)
      const text = reply.body === undefined ? '' : JSON.stringify(reply.body)
      const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`
      const isSame = method === 'GET' && reply.status === 200 && request.headers['if-none-match'] === etag
      response.writeHead(isSame ? 304 : reply.status, {
        ...(text !== '' && { 'content-type': 'application/json; charset=utf-8' }),
        ...(method === 'GET' && { etag }),
        'x-ratelimit-remaining': '4999',
        'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 3_600),
        ...reply.headers,
      })
      if (reply.isCut) response.write(text.slice(0, text.length / 2), () => response.destroy())
      else response.end(isSame ? undefined : text)
    } catch (error) {
      problems.push(error)
      response.writeHead(418, { 'content-type': 'application/json' }).end(JSON.stringify({ message: String(error) }))
    }
  })
  // It never closes a connection that the bridge is about to use.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get repo() {
      return repoName()
    },
    /** It answers for its former name, too. */
    rename: (name: string): void => void names.push(name),
    bot,
    issues,
    comments,
    create,
    edit,
    comment,
    editComment: (id: number, body: string): void =>
      void Object.assign(comments.get(id)!, { body, updatedAtMs: nowMs() }),
    deleteComment: (id: number): void => void comments.delete(id),
    /** As an owner does on the website. */
    deleteIssue: (number: number): void => {
      issues.delete(number)
      deleted.add(number)
    },
    /** To where an issue of another repository answers. */
    transfer: (number: number, location: string): void => {
      issues.delete(number)
      transferred.set(number, location)
    },
    /** Lets something happen while the bridge reads, or answers in place of the stub. */
    onRequest: (listener: typeof onRequest): void => {
      onRequest = listener
    },
    /** Spoils answers, which are then not held against the description. */
    onReply: (listener: typeof onReply): void => {
      onReply = listener
    },
    /** Answers the next request with this. */
    refuseNext: (reply: Reply): void => void refusals.push(reply),
    passTime: (ms: number): void => {
      aheadMs += ms
    },
    get requests() {
      return requests
    },
    get writes() {
      return writes
    },
    /** Throws where a request or an answer was not as GitHub describes it. */
    check: (): void => {
      if (problems.length > 0) throw problems[0]
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (problems.length > 0) throw problems[0]
    },
  }
}

export type GitHubStub = Awaited<ReturnType<typeof startGitHubStub>>
