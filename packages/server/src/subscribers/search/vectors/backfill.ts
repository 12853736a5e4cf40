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

const pagesOfSources = (sources: SearchSources, { tenantId }: VectorSet): NextPage[] =>
  [...sources].map(
    ([kind, source]): NextPage =>
      async (last) =>
        (await source.readSubjects(tenantId, last, SUBJECTS_PER_PAGE)).map((subject) => ({ kind, ...subject })),
  )

const pagesOf = (db: Db, sources: SearchSources, set: VectorSet): NextPage[] => {
  // Those with vectors too: whoever takes one from the queue finds out whether its document is still there.
  const ofVectors: NextPage = async (last) =>
    (await embeddedAfter(db, set, last, SUBJECTS_PER_PAGE)).map((subject) => ({ ...subject, changed_at: 0 }))
  return [...pagesOfSources(sources, set), ofVectors]
}

const enqueuePages = async (
  db: Db,
  set: VectorSet,
  nextPages: readonly NextPage[],
  isWanted: (subject: QueuedSubject) => boolean,
): Promise<void> => {
  for (const nextPage of nextPages) {
    let page = await nextPage(undefined)
    while (page.length > 0) {
      await enqueueMissing(db, set, page.filter(isWanted))
      await setImmediate()
      page = page.length < SUBJECTS_PER_PAGE ? [] : await nextPage(page.at(-1))
    }
  }
}

/** Queues all documents of a project. */
export const enqueueProject = (db: Db, sources: SearchSources, set: VectorSet, projectId: string): Promise<void> =>
  enqueuePages(db, set, pagesOfSources(sources, set), ({ project_id }) => project_id === projectId)

/**
 * Puts all of a tenant's documents into the queue: for a model it has no vectors of, or where the log does not tell what
 * changed. One whose vectors are right leaves it again at the cost of a look.
 */
export const backfill = async (db: Db, sources: SearchSources, set: VectorSet): Promise<void> => {
  const state = await logState(db, set.tenantId, 0)
  if (!state) return
  const position = await beginPosition(db, set)
  await enqueuePages(db, set, pagesOf(db, sources, set), () => true)
  await movePosition(db, set, [position ?? NOT_FILLED, state.newest])
}
