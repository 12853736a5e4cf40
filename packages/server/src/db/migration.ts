import type { Dialect } from './dialect.js'

export interface Migration {
  version: number
  name: string
  statements(dialect: Dialect): string[]
}
