import type { Dialect } from './dialect.js'

export interface Migration {
  version: number
  name: string
  /** The oldest version whose programs work with the schema after this migration; defaults to this migration's version. */
  minVersion?: number
  statements(dialect: Dialect): string[]
}
