import { AppError } from '../base/errors.js'

/** What the parts of a transaction's work weigh, in changed records. */
const weights = {
  /** A record that is changed, with its event and its version. */
  change: 1,
  /** A task whose counts are kept true after the change of another. */
  count: 1 / 4,
  /** A new dependency of a task, which is checked, stored and counted on both sides. */
  blocker: 2 / 3,
  /** A link that is followed in the search for a cycle. */
  link: 1 / 25,
  /** A row that is only looked at. */
  look: 1 / 100,
  /** An entry of an index that is only counted. */
  entry: 1 / 1_000,
} as const

type Work = keyof typeof weights

/** Enough for the largest tree, move or list of dependents by itself, with what follows from its change. */
const maxRecords = 1_300
const maxMebibytes = 16
const maxLength = maxMebibytes * 1_048_576

/** The part of a budget after which a transaction that can go on in another one ends. */
const pageShare = 0.3

/**
 * The work of one transaction. On an engine with one writer all others wait for it, so a request that asks for more is
 * refused; what it has done is undone.
 */
export interface WorkBudget {
  spend(work: Work, count: number): void
  /** Refuses work that will be too much, before it is begun. */
  expect(work: Work, count: number, textLength?: number): void
  /** Texts that are read to be changed, or written. */
  spendText(...texts: readonly (string | null | undefined)[]): void
  /** Whether a transaction that can go on in another one should end. */
  isPageOver(): boolean
}

const exceeded = (): AppError =>
  new AppError(
    'size',
    `This is more than one request can change: ${maxRecords.toLocaleString('en')} records, those that wait for them ` +
      `included, or ${maxMebibytes} MiB of text. Split the batch, or move, delete or relink fewer records at a time.`,
  )

export const isOverBudget = (error: unknown): boolean => error instanceof AppError && error.reason === 'size'

/** `isLimited`: whether it may be refused, as the service's own work may not. */
export const createWorkBudget = (isLimited: boolean): WorkBudget => {
  let records = 0
  let length = 0
  const check = (moreRecords = 0, moreLength = 0): void => {
    if (isLimited && (records + moreRecords > maxRecords || length + moreLength > maxLength)) throw exceeded()
  }
  return {
    spend: (work, count) => {
      records += weights[work] * count
      check()
    },
    expect: (work, count, textLength) => check(weights[work] * count, textLength),
    spendText: (...texts) => {
      for (const text of texts) length += text?.length ?? 0
      check()
    },
    isPageOver: () => records > pageShare * maxRecords || length > pageShare * maxLength,
  }
}
