/** What the driver asks of the load process. */
export interface LoadOrder {
  port: number
  /** Whole HTTP/1.1 requests. `counterMark` in one of them becomes a number that no other has. */
  requests: readonly string[]
  connections: number
  /** Ends after this time, or after one pass over the requests where it is undefined. */
  durationMs: number | undefined
}

export interface LoadReport {
  requests: number
  seconds: number
  failures: number
  /** The first answer that was no success. */
  firstFailure: string | undefined
  p50Ms: number
  p99Ms: number
}

export type LoadMessage = { begun: true } | { report: LoadReport } | { error: string }

/** Eight digits take its place, so the length of a body stays true. */
export const counterMark = '########'
