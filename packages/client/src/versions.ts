import { PreconditionFailedError } from './errors.js'
import type { CallOptions } from './options.js'
import { sleep } from './sleep.js'

/** A version number, or a record that has one. */
export type Version = number | { version: number }

export interface VersionOptions extends CallOptions {
  /** Makes the change only if the record is still at this version; fails with a PreconditionFailedError otherwise. */
  ifMatch?: Version | undefined
}

export const versionHeaders = ({ ifMatch }: VersionOptions): Record<string, string> =>
  ifMatch === undefined ? {} : { 'if-match': `"${typeof ifMatch === 'number' ? ifMatch : ifMatch.version}"` }

/** Returns the changes to make to a record, or undefined for none. */
export type Updater<T, C> = (record: T) => C | undefined | Promise<C | undefined>

const maxPauseMs = 1_000

/** Reads a record and writes what `change` returns at the version read. Repeats if somebody else changed it meanwhile. */
export const updateByFunction = async <T extends { version: number }, C>(
  read: () => Promise<T>,
  change: Updater<T, C>,
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
      // After a lost response, the other change may be our own, which must not be applied twice.
      if (!(error instanceof PreconditionFailedError) || error.isAfterLostAnswer) throw error
      if (error.reason !== 'version') throw error
      await sleep(Math.random() * Math.min(maxPauseMs, 20 * 2 ** conflicts), signal)
    }
  }
}
