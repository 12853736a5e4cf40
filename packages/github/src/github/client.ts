import { Octokit } from '@octokit/core'
import { RequestError } from '@octokit/request-error'
import {
  areChecks,
  type Check,
  isAccount,
  isComment,
  isCommentWithId,
  isEvent,
  isIssue,
  isListOf,
  isNothing,
  isPull,
  isRepository,
  isReview,
} from './answers.js'
import { createPacing } from './pacing.js'
import type { CheckRun, Issue, IssueComment, IssueEvent, IssueFields, IssuePatch, Pull, Review } from './records.js'

interface GitHubOptions {
  owner: string
  repo: string
  token: string
  baseUrl: string
  userAgent: string
  writeSpacingMs: number
  onWait(reason: string, waitMs: number): void
  fetch?: typeof globalThis.fetch | undefined
  sleep?: (ms: number) => Promise<unknown>
}

/** A page of a list by time of change; `undefined` where nothing changed since the answer with this ETag. */
export interface ChangedPage<T> {
  records: T[]
  etag: string | undefined
  /** How many records the list has, where it takes several pages: the ETag is of its last one. */
  count?: number
}

/** An answer that can be asked for again by its ETag. */
interface Tagged<T> {
  data: T
  etag: string | undefined
}

/** GitHub may leave these out. */
const asIssue = (issue: Issue): Issue => ({
  ...issue,
  assignees: issue.assignees ?? [],
  state_reason: issue.state_reason ?? null,
})

const asComment = (comment: IssueComment): IssueComment => ({ ...comment, body: comment.body ?? '' })

const timeoutMs = 30_000
const repositoryRoute = 'GET /repos/{owner}/{repo}'
const perPage = 100
const recentMs = 60_000

/** The last page of a list, never an empty or a full one: whatever is new or moves to the end changes it. */
const lastPageOf = (count: number): { per_page: number; page: number } => {
  const size = count % perPage === 0 ? perPage - 1 : perPage
  return { per_page: size, page: Math.floor(count / size) + 1 }
}
const versionHeader = { 'x-github-api-version': '2022-11-28' }

const isStatus = (error: unknown, ...statuses: number[]): error is RequestError =>
  error instanceof RequestError && statuses.includes(error.status)

const movedStatus = 301
/** Of an answer that is not GitHub's, or was cut off: as with a gateway's error, nobody knows what became of the request. */
const unexpectedStatus = 502
/** Nothing else says that something was written. */
const writtenStatuses: Record<string, number> = { POST: 201, PATCH: 200, DELETE: 204 }

/** Whether the record is in another repository now. */
export const isMoved = (error: unknown): boolean => isStatus(error, movedStatus)

/** Whether the record is not there: deleted, moved elsewhere or out of reach. */
export const isGone = (error: unknown): boolean => isStatus(error, 404, 410) || isMoved(error)

/** Whether GitHub answered and refused, so that nothing was done. */
export const isRefusal = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.response !== undefined && error.status >= 400 && error.status < 500

/** Whether GitHub answered, at the last attempt too, that it failed. */
export const isServerFailure = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.response !== undefined && error.response.status >= 500

export const createGitHub = (options: GitHubOptions) => {
  const { owner, repo, token, baseUrl, userAgent, writeSpacingMs, onWait, sleep } = options
  const octokit = new Octokit({ auth: token, baseUrl, userAgent, request: { fetch: options.fetch } })
  const pacing = createPacing({ writeSpacingMs, onWait, ...(sleep && { sleep }) })
  let login: string | undefined
  let beforeWrite: (() => Promise<void>) | undefined
  const assignable = new Map<string, boolean>()

  const send = async <T>(
    route: string,
    isExpected: Check,
    parameters: Record<string, unknown> = {},
    prepare?: () => Promise<void>,
  ): Promise<{ data: T; headers: Record<string, string | number | undefined> }> => {
    const [method] = route.split(' ') as [string]
    // A transferred issue answers from its new repository, which must not be written to.
    const redirect = route === repositoryRoute ? 'follow' : 'manual'
    const prepareWrite = async (): Promise<void> => {
      if (method !== 'GET') await beforeWrite?.()
      await prepare?.()
    }
    const answer = await pacing.run({ method, prepare: prepareWrite }, async () => {
      const response = await octokit.request(route, {
        ...(route.includes('{owner}') && { owner, repo }),
        headers: versionHeader,
        ...parameters,
        request: { signal: AbortSignal.timeout(timeoutMs), redirect },
      })
      const { url, data } = response
      // Its type names the two that most requests have.
      const status: number = response.status
      const failed = (message: string, failedStatus: number): RequestError =>
        new RequestError(message, failedStatus, {
          request: { method: method as 'GET', url, headers: {} },
          response,
        })
      if (status > 300) throw failed('Moved to another place', movedStatus)
      if (status !== (writtenStatuses[method] ?? status) || !isExpected(data))
        throw failed('The answer was cut off or is not as expected', unexpectedStatus)
      return response
    })
    return { data: answer.data as T, headers: answer.headers as Record<string, string | number | undefined> }
  }

  const fetchData = async <T>(route: string, isExpected: Check, parameters: Record<string, unknown> = {}): Promise<T> =>
    (await send<T>(route, isExpected, parameters)).data

  /** Undefined where the answer is still the one with this ETag; GitHub does not count such requests. */
  const fetchTagged = async <T>(
    route: string,
    isExpected: Check,
    parameters: Record<string, unknown>,
    known: string | undefined,
  ): Promise<Tagged<T> | undefined> => {
    const condition = known ? { headers: { ...versionHeader, 'if-none-match': known } } : {}
    try {
      const { data, headers } = await send<T>(route, isExpected, { ...parameters, ...condition })
      return { data, etag: String(headers.etag ?? '') || undefined }
    } catch (error) {
      if (known && isStatus(error, 304)) return undefined
      throw error
    }
  }

  const fetchAll = async <T>(route: string, check: Check, parameters: Record<string, unknown>): Promise<T[]> => {
    const all: T[] = []
    for (let page = 1; ; page++) {
      const records = await fetchData<T[]>(route, isListOf(check), { ...parameters, per_page: perPage, page })
      all.push(...records)
      if (records.length < perPage) return all
    }
  }

  /** What answers for an issue may be another one, after a redirect on the way. */
  const checkedIssue = (issue: Issue, number: number): Issue => {
    const { pathname } = new URL(issue.repository_url)
    if (issue.number === number && pathname.toLowerCase().endsWith(`/repos/${owner}/${repo}`.toLowerCase()))
      return asIssue(issue)
    const request = { method: 'GET' as const, url: issue.repository_url, headers: {} }
    throw new RequestError(`#${number} was transferred`, movedStatus, { request })
  }

  /**
   * Every record that changed at or after a time, the oldest change first. Goes on by time and not by page number: a
   * record that changes meanwhile moves to the end, and would shift another one past the reader.
   */
  async function* changed<T extends { id: number; updated_at: string }>(
    route: string,
    check: Check,
    parameters: Record<string, unknown>,
    as: (record: T) => T,
    since: string | undefined,
    etag: string | undefined,
    count: number | undefined,
  ): AsyncGenerator<ChangedPage<T>, void, undefined> {
    const ask = (from: string | undefined, page: object, known?: string) =>
      fetchTagged<T[]>(
        route,
        isListOf(check),
        { ...parameters, ...(from && { since: from }), direction: 'asc', ...page },
        known,
      )
    if (count !== undefined && etag && !(await ask(since, lastPageOf(count), etag))) return
    const versionOf = ({ id, updated_at }: T): string => `${id} ${updated_at}`
    const read = new Set<string>()
    let from = since
    /** Of the last time that was seen: the next page begins with them again. */
    let seen = new Set<number>()
    for (let page = 1, isFirst = true; ; isFirst = false) {
      const known = isFirst && count === undefined ? etag : undefined
      const answer = await ask(from, { per_page: perPage, page }, known)
      if (!answer) return
      const records = answer.data
      const isLast = records.length < perPage
      yield {
        records: records.filter(({ id, updated_at }) => updated_at !== from || !seen.has(id)).map(as),
        etag: isFirst && isLast ? answer.etag : undefined,
      }
      // The ETag is for a run that begins at the same place; an import is the only one that begins at none.
      if (since !== undefined) for (const record of records) read.add(versionOf(record))
      // A second change within the second of the first leaves a record where it is in the list.
      const isRecent = Date.parse(records.at(-1)?.updated_at ?? from ?? '') > Date.now() - recentMs
      if (isLast && (isFirst || since === undefined || isRecent)) return
      if (isLast) {
        const last = (await ask(since, lastPageOf(read.size)))!
        const { per_page: size } = lastPageOf(read.size)
        const isWhole = last.data.length === read.size % size && last.data.length > 0
        // Nothing may have come since it was read.
        if (isWhole && last.data.every((record) => read.has(versionOf(record))))
          yield { records: [], etag: last.etag, count: read.size }
        return
      }
      const end = records.at(-1)!.updated_at
      const ids = records.filter(({ updated_at }) => updated_at === end).map(({ id }) => id)
      if (end === from) {
        page++
        seen = new Set([...seen, ...ids])
      } else {
        from = end
        page = 1
        seen = new Set(ids)
      }
    }
  }

  return {
    /** Runs right before each request that writes; where it throws, nothing is sent. */
    guardWrites: (guard: () => Promise<void>): void => {
      beforeWrite = guard
    },
    repository: () => fetchData<{ full_name: string }>(repositoryRoute, isRepository),
    /** The account that the token belongs to. */
    login: async (): Promise<string> => {
      login ??= (await fetchData<{ login: string }>('GET /user', isAccount)).login
      return login
    },
    /** Whether issues of the repository can be assigned to an account. */
    isAssignable: async (account: string): Promise<boolean> => {
      const known = assignable.get(account)
      if (known !== undefined) return known
      const isFound = await fetchData('GET /repos/{owner}/{repo}/assignees/{assignee}', isNothing, {
        assignee: account,
      }).then(
        () => true,
        (error) => {
          if (isGone(error)) return false
          throw error
        },
      )
      assignable.set(account, isFound)
      return isFound
    },
    /** Issues and pull requests. */
    changedIssues: (since?: string, etag?: string, count?: number) =>
      changed<Issue>(
        'GET /repos/{owner}/{repo}/issues',
        isIssue,
        { state: 'all', sort: 'updated' },
        asIssue,
        since,
        etag,
        count,
      ),
    changedComments: (since?: string, etag?: string, count?: number) =>
      changed<IssueComment>(
        'GET /repos/{owner}/{repo}/issues/comments',
        isComment,
        { sort: 'updated' },
        asComment,
        since,
        etag,
        count,
      ),
    issue: async (number: number) =>
      checkedIssue(
        await fetchData<Issue>('GET /repos/{owner}/{repo}/issues/{issue_number}', isIssue, { issue_number: number }),
        number,
      ),
    /** `prepare` runs right before the request is sent. */
    createIssue: async (fields: IssueFields & { title: string }, prepare: () => Promise<void>) =>
      asIssue((await send<Issue>('POST /repos/{owner}/{repo}/issues', isIssue, { ...fields }, prepare)).data),
    updateIssue: async (number: number, patch: IssuePatch) =>
      checkedIssue(
        await fetchData<Issue>('PATCH /repos/{owner}/{repo}/issues/{issue_number}', isIssue, {
          issue_number: number,
          ...patch,
        }),
        number,
      ),
    issueEvents: (number: number) =>
      fetchAll<IssueEvent>('GET /repos/{owner}/{repo}/issues/{issue_number}/events', isEvent, { issue_number: number }),
    comments: async (number: number) => {
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments'
      return (await fetchAll<IssueComment>(route, isComment, { issue_number: number })).map(asComment)
    },
    createComment: (number: number, body: string) =>
      fetchData<IssueComment>('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', isComment, {
        issue_number: number,
        body,
      }),
    updateComment: (id: number, body: string) =>
      fetchData<IssueComment>('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', isCommentWithId(id), {
        comment_id: id,
        body,
      }),
    /** Whether a comment was deleted. */
    isCommentGone: (id: number): Promise<boolean> =>
      fetchData('GET /repos/{owner}/{repo}/issues/comments/{comment_id}', isCommentWithId(id), { comment_id: id }).then(
        () => false,
        (error) => {
          if (isMoved(error)) return false
          if (isGone(error)) return true
          throw error
        },
      ),
    deleteComment: (id: number) =>
      fetchData<void>('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', isNothing, { comment_id: id }),
    /** With an ETag, undefined where nothing changed. */
    pull: (number: number, etag?: string) =>
      fetchTagged<Pull>('GET /repos/{owner}/{repo}/pulls/{pull_number}', isPull, { pull_number: number }, etag),
    reviews: (number: number) =>
      fetchAll<Review>('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', isReview, { pull_number: number }),
    /** With an ETag, undefined where nothing changed. */
    checkRuns: (ref: string, etag?: string) =>
      fetchTagged<{ check_runs: CheckRun[] }>(
        'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
        areChecks,
        { ref, per_page: perPage },
        etag,
      ),
  }
}

export type GitHub = ReturnType<typeof createGitHub>
