export type Kind = 'task' | 'note'

/** What a writer knows of one record. Whoever got no answer does not know whether the change was made. */
export interface Entry {
  kind: Kind
  token: string
  /** Of a task, once an answer has told it. */
  id: string | undefined
  /** The last acknowledged state: a revision, or null where there is none. */
  acknowledged: number | null
  /** What was asked for without an answer: a revision, or null for a deletion. */
  unanswered: { revision: number | null } | undefined
  idempotencyKey: string
}

export interface Ledger {
  entries: Map<string, Entry>
  acknowledgedWrites: number
  unansweredWrites: number
}

export const createLedger = (): Ledger => ({ entries: new Map(), acknowledgedWrites: 0, unansweredWrites: 0 })
