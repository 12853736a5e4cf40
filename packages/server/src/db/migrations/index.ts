import type { Migration } from '../migration.js'
import { baseline } from './0001-baseline.js'

/** In order of their versions. A released migration is never edited. */
export const migrations: readonly Migration[] = [baseline]
