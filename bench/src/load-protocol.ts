/** What the driver asks of the load process. */
export interface LoadOrder {
  port: number
  /** Exchanges: a whole HTTP/1.1 request, or several that follow each other on one connection, joined by `stepMark`. */
  requests: readonly string[]
  /** Sent first on each connection, and not counted. */
  opening?: string | undefined
  connections: number
  /** Ends after this time, or after one pass over the requests where it is undefined. */
  durationMs: number | undefined
}

export interface LoadReport {
  /** Exchanges, each with all of its requests. */
  requests: number
  seconds: number
  failures: number
  /** The first answer that was no success. */
  firstFailure: string | undefined
  p50Ms: number
  p99Ms: number
}

export type LoadMessage = { begun: true } | { report: LoadReport } | { error: string }

/** Becomes a number that no other request has, of eight digits, so the length of a body stays true. */
export const counterMark = '########'

export const stepMark = '\0'

/** In a path or a header: the claim that the connection was last answered with, and its task. */
export const tokenMark = '{token}'
export const claimedTaskMark = '{claimed}'
