import type { ShownChanges } from './changes.js'

/** Two states of a record as JSON, null where it was not there. */
export interface DifferTask extends ShownChanges {
  before: string | null
  after: string | null
}

/** The first message of a thread; the others are the changes of its tasks, as JSON. */
export const isReady = ''
