import { isoTime } from './clock.js'

export type StoredValue = string | number | null

/** Maps the values of a field to a database column. */
export interface Column<T> {
  readonly name: string
  toStored(value: T): StoredValue
  fromStored(stored: StoredValue): unknown
}

/** Stores a string or a number unchanged. */
export const plain = (name: string): Column<StoredValue> => ({
  name,
  toStored: (value) => value,
  fromStored: (stored) => stored,
})

export const flag = (name: string): Column<boolean> => ({
  name,
  toStored: Number,
  fromStored: (stored) => stored === 1,
})

/** Stores a timestamp as milliseconds since 1970. */
export const time = (name: string): Column<string | null> => ({
  name,
  toStored: (value) => (value === null ? null : Date.parse(value)),
  fromStored: (stored) => (stored === null ? null : isoTime(stored as number)),
})

/** Stores a value as JSON, but null as SQL null. */
export const json = (name: string): Column<unknown> => ({
  name,
  toStored: (value) => (value === null ? null : JSON.stringify(value)),
  fromStored: (stored) => (stored === null ? null : JSON.parse(stored as string)),
})

/** Stores a value computed from the field, for filtering and sorting. It is not converted back. */
export const derived = <T>(name: string, toStored: (value: T) => StoredValue): Column<T> => ({
  name,
  toStored,
  fromStored: (stored) => stored,
})

/** Stores null as the empty string. */
export const emptyForNull = (name: string): Column<string | null> => ({
  name,
  toStored: (value) => value ?? '',
  fromStored: (stored) => stored || null,
})
