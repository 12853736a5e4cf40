/** Tells whether the body of an answer has what the bridge reads of it. */
export type Check = (data: unknown) => boolean

const isNumber: Check = (value) => Number.isSafeInteger(value)
const isText: Check = (value) => typeof value === 'string'
const isTime: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isUrl: Check = (value) => typeof value === 'string' && URL.canParse(value)

const isRecord =
  (fields: Record<string, Check>): Check =>
  (data) =>
    typeof data === 'object' &&
    data !== null &&
    Object.entries(fields).every(([name, check]) => check((data as Record<string, unknown>)[name]))

export const isListOf =
  (check: Check): Check =>
  (data) =>
    Array.isArray(data) && data.every(check)

export const isNothing: Check = (data) => data === ''
export const isRepository = isRecord({ full_name: isText })
export const isAccount = isRecord({ login: isText })
export const isIssue = isRecord({
  ...{ id: isNumber, number: isNumber, title: isText, state: isText, labels: Array.isArray },
  ...{ html_url: isText, repository_url: isUrl, created_at: isTime, updated_at: isTime },
})
export const isComment = isRecord({
  ...{ id: isNumber, html_url: isText, issue_url: isText, created_at: isTime, updated_at: isTime },
})
export const isCommentWithId = (id: number): Check => isRecord({ id: (value) => value === id })
export const isEvent = isRecord({ event: isText, created_at: isTime })
export const isPull = isRecord({ updated_at: isTime, head: isRecord({ sha: isText, ref: isText }) })
export const isReview = isRecord({ state: isText })
export const areChecks = isRecord({ check_runs: isListOf(isRecord({ status: isText })) })
