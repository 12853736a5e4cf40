import { PreconditionFailedError } from './errors.js'
import type { CallOptions } from './options.js'
import { sleep } from './sleep.js'

/** A record as it was read, or its version. */
export type Version = number | { version: number }

export interface VersionOptions extends CallOptions {
  /** Make the change only if the record is still at this version; else a PreconditionFailedError. */
  ifMatch?: Version | undefined
}

export const versionHeaders = ({ ifMatch }: VersionOptions): Record<string, string> =>
  ifMatch === undefined ? {} : { 'if-match': `"${typeof ifMatch === 'number' ? ifMatch : ifMatch.version}"` }

/** What to change of a record as it is; undefined for nothing. */
export type Change<T, C> = (record: T) => C | undefined | Promise<C | undefined>

const maxPauseMs = 1_000

/**
 * Reads a record, lets `change` say what to make of it and writes that at the version read, again and again until no
 * one else came between. Where `change` gives nothing, nothing is written.
 */
export const updateByFunction = async <T extends { version: number }, C>(
  read: () => Promise<T>,
  change: Change<T, C>,
  write: (changes: C, record: T) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> => {
  for (let conflicts = 0; ; conflicts++) {
    const record = await read()
    const changes = await change(record)
    if (changes === undefined) return record
    try {
      return await write(changes, record)
    } catch (error) {
      // After a lost answer the other change may be our own, and to apply it to itself would be wrong.
      if (!(error instanceof PreconditionFailedError) || error.isAfterLostAnswer || error.reason) throw error
      await sleep(Math.random() * Math.min(maxPauseMs, 20 * 2 ** conflicts), signal)
    }
  }
}
