import { setImmediate } from 'node:timers/promises'
import type { Db, Sql } from '../../db/port.js'
import { lastSequence } from '../store.js'
import { beginPosition, movePosition, UNFILLED } from './position-store.js'
import { enqueueMissing, type QueuedSubject } from './queue-store.js'
import type { Shelf, Subject } from './subject.js'
import { embeddedAfter } from './vector-store.js'

const SUBJECTS_PER_STEP = 500

type NextPage = (db: Sql, shelf: Shelf, last: Subject | undefined) => Promise<QueuedSubject[]>

const tasks: NextPage = async (db, { tenantId }, last) =>
  db.all(
    `select 'task' as kind, project_id, id as subject, updated_at as changed_at from tasks
     where tenant_id = ? and id > ? order by id limit ${SUBJECTS_PER_STEP}`,
    [tenantId, last?.subject ?? ''],
  )

const items: NextPage = async (db, { tenantId }, last) =>
  db.all(
    `select 'knowledge' as kind, project_id, key as subject, updated_at as changed_at from knowledge
     where tenant_id = ? and (project_id, key) > (?, ?) order by project_id, key limit ${SUBJECTS_PER_STEP}`,
    [tenantId, last?.project_id ?? '', last?.subject ?? ''],
  )

/** Those with vectors too: whoever takes one from the list finds out whether its record is still there. */
const embedded: NextPage = async (db, shelf, last) =>
  (await embeddedAfter(db, shelf, last, SUBJECTS_PER_STEP)).map((subject) => ({ ...subject, changed_at: 0 }))

/**
 * Puts all of a tenant's records on the list: for a model it has no vectors of, or where the log does not tell what
 * changed. One whose vectors are right is taken off again at the cost of a look.
 */
export const backfill = async (db: Db, shelf: Shelf): Promise<void> => {
  const sequence = await lastSequence(db, shelf.tenantId)
  if (sequence === undefined) return
  const position = await beginPosition(db, shelf)
  for (const nextPage of [tasks, items, embedded]) {
    let page = await nextPage(db, shelf, undefined)
    while (page.length > 0) {
      await enqueueMissing(db, shelf, page)
      await setImmediate()
      page = page.length < SUBJECTS_PER_STEP ? [] : await nextPage(db, shelf, page.at(-1))
    }
  }
  await movePosition(db, shelf, [position ?? UNFILLED, sequence])
}
