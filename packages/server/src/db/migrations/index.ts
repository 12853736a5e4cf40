import type { Migration } from '../migrate.js'
import { foundation } from './0001-foundation.js'
import { webhooks } from './0002-webhooks.js'

/** In order; one that has landed is never edited. */
export const migrations: readonly Migration[] = [foundation, webhooks]
