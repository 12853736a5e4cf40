import type { Dialect } from './dialect.js'
import type { Sql } from './port.js'

export interface Migration {
  version: number
  name: string
  /**
   * The oldest version whose programs still work on the schema after this migration; without it, only programs that know
   * the migration do.
   */
  minVersion?: number
  statements(dialect: Dialect): string[]
  /** Fills in what SQL alone cannot compute, after the statements and in their transaction. */
  fill?(tx: Sql): Promise<void>
}
