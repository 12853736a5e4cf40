import type { Migration } from '../migration.js'
import { foundation } from './0001-foundation.js'
import { search } from './0002-search.js'
import { webhooks } from './0003-webhooks.js'
import { embeddings } from './0004-embeddings.js'

/** In order; one that has landed is never edited. */
export const migrations: readonly Migration[] = [foundation, search, webhooks, embeddings]
