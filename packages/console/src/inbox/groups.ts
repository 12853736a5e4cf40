import type { Row } from './rows'

/** Kinds of what waits, the most urgent first. */
export const groupTitles = {
  question: 'Questions',
  check: 'Checks to decide',
  silent: 'Held by silent agents',
  exhausted: 'Out of attempts',
  broken: 'Not working',
  review: 'In review',
  news: 'Mentions and assignments',
} as const
export type GroupKind = keyof typeof groupTitles

export const isGroupKind = (text: string | undefined): text is GroupKind => text !== undefined && text in groupTitles

export interface Group {
  kind: GroupKind
  /** Those that were read, the longest-waiting first. */
  rows: readonly Row[]
  /** All there are. */
  count: number
  /** Whether there may be even more. */
  isCapped?: boolean
}
