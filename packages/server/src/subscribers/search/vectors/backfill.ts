import { setImmediate } from 'node:timers/promises'
import { logState } from '../../../changelog/changes.js'
import type { Db } from '../../../db/port.js'
import type { SearchSources } from '../../../work/search/source.js'
import { beginPosition, movePosition, NOT_FILLED } from './position-store.js'
import { enqueueMissing, type QueuedSubject } from './queue-store.js'
import type { EmbeddedSubject, VectorSet } from './vector-set.js'
import { embeddedAfter } from './vector-store.js'

const SUBJECTS_PER_PAGE = 500

type NextPage = (last: EmbeddedSubject | undefined) => Promise<QueuedSubject[]>

const pagesOf = (db: Db, sources: SearchSources, set: VectorSet): NextPage[] => {
  const ofSources = [...sources].map(([kind, source]): NextPage => {
    return async (last) =>
      (await source.readSubjects(set.tenantId, last?.subject ?? '', SUBJECTS_PER_PAGE)).map((subject) => ({
        kind,
        ...subject,
      }))
  })
  // Those with vectors too: whoever takes one from the queue finds out whether its document is still there.
  const ofVectors: NextPage = async (last) =>
    (await embeddedAfter(db, set, last, SUBJECTS_PER_PAGE)).map((subject) => ({ ...subject, changed_at: 0 }))
  return [...ofSources, ofVectors]
}

/**
 * Puts all of a tenant's documents into the queue: for a model it has no vectors of, or where the log does not tell what
 * changed. One whose vectors are right leaves it again at the cost of a look.
 */
export const backfill = async (db: Db, sources: SearchSources, set: VectorSet): Promise<void> => {
  const state = await logState(db, set.tenantId, 0)
  if (!state) return
  const position = await beginPosition(db, set)
  for (const nextPage of pagesOf(db, sources, set)) {
    let page = await nextPage(undefined)
    while (page.length > 0) {
      await enqueueMissing(db, set, page)
      await setImmediate()
      page = page.length < SUBJECTS_PER_PAGE ? [] : await nextPage(page.at(-1))
    }
  }
  await movePosition(db, set, [position ?? NOT_FILLED, state.newest])
}
