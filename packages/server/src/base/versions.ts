import { Type } from 'typebox'
import { versionMismatch } from './errors.js'

export type VersionSet = '*' | readonly number[]

/** What a caller asks of a record's version before its change is made. */
export interface Preconditions {
  ifMatch?: VersionSet | undefined
  ifNoneMatch?: VersionSet | undefined
}

const Versions = Type.Optional(Type.Unsafe<VersionSet>({}))
export const IfMatch = { ifMatch: Versions }
export const IfNoneMatch = { ifNoneMatch: Versions }

const includesVersion = (versions: VersionSet, current: number | null): boolean =>
  current !== null && (versions === '*' || versions.includes(current))

/** `current` is null where there is no record. */
export const checkPreconditions = ({ ifMatch, ifNoneMatch }: Preconditions, current: number | null): void => {
  if (ifMatch !== undefined && !includesVersion(ifMatch, current)) throw versionMismatch(current)
  if (ifNoneMatch !== undefined && includesVersion(ifNoneMatch, current)) throw versionMismatch(current)
}
