import type { Dialect } from './dialect.js'
import type { Sql } from './port.js'

export interface Migration {
  version: number
  name: string
  statements(dialect: Dialect): string[]
  /** Fills in what SQL alone cannot compute, after the statements and in their transaction. */
  fill?(tx: Sql): Promise<void>
}
