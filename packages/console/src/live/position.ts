/** What the leading tab tells the others. */
export type LiveMessage<E> =
  /** An event, and the position before it: a tab that is behind that position has missed something. */
  | { kind: 'event'; event: E; previous: number }
  | { kind: 'alive'; position: number; state: LiveState }
  /** A tab asks whoever leads to say where it is. */
  | { kind: 'hello' }

export type LiveState = 'connecting' | 'live' | 'reconnecting'
