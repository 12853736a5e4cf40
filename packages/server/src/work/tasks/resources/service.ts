import { AppError } from '../../../base/errors.js'
import { type Page, pagedList } from '../../../base/paging.js'
import type { Call } from '../../../operations/call.js'
import { projectIdNamed } from '../../../tenancy/projects/service.js'
import { expireClaim } from '../claims/expire.js'
import { hasLapsed, secondsLeft } from '../claims/rules.js'
import type { Claim } from '../claims/schema.js'
import { findTasks } from '../store.js'
import type { StoredTask } from '../stored-task.js'
import type { Reservation, ReservationList } from './schema.js'
import * as store from './store.js'

interface LiveOverlap extends store.Overlap {
  claim: Claim
}

/** What live claims of other tasks reserve; those that have run out end. */
const liveOverlaps = async (call: Call, find: () => Promise<store.Overlap[]>): Promise<LiveOverlap[]> => {
  const { db, actor, clock } = call
  for (;;) {
    const overlaps = await find()
    const holders = await findTasks(db, actor.tenantId, [...new Set(overlaps.map(({ holderId }) => holderId))])
    const lapsed = holders.filter(({ claims }) => hasLapsed(claims.current, clock()))
    if (lapsed.length === 0) {
      const claimOf = new Map(holders.map(({ doc, claims }) => [doc.id, claims.current!]))
      return overlaps.map((overlap) => ({ ...overlap, claim: claimOf.get(overlap.holderId)! }))
    }
    for (const holder of lapsed) await expireClaim(call, holder)
  }
}

const refuse = ({ clock }: Call, [first]: readonly LiveOverlap[]): void => {
  if (!first) return
  const { taskId, resource, holderId, claim } = first
  const { keyName, expiresAt } = claim
  const held = `${holderId} reserves it, claimed by ${JSON.stringify(keyName)} until ${expiresAt}`
  throw new AppError(
    'resource',
    `${taskId} needs ${JSON.stringify(resource)}: ${held}. Work on another task, or wait until it is free.`,
    {
      resource,
      heldBy: { taskId: holderId, keyName, expiresAt },
      retryAfter: secondsLeft(claim, clock()),
    },
  )
}

/** Refuses to let a task be claimed in its project, or in another one, where other claims reserve what it needs. */
export const requireFree = async (call: Call, { doc }: StoredTask, projectId = doc.projectId): Promise<void> => {
  if (doc.resources.length === 0) return
  const task = { taskId: doc.id, projectId, resources: doc.resources }
  refuse(call, await liveOverlaps(call, () => store.findOverlaps(call.db, call.actor.tenantId, task)))
}

/** What other claims reserve of the resources that a claimed task is to have besides its own. */
const overlapsOfAdded = async (call: Call, { doc }: StoredTask, wanted: readonly string[]): Promise<LiveOverlap[]> => {
  const resources = wanted.filter((resource) => !doc.resources.includes(resource))
  if (resources.length === 0) return []
  const task = { taskId: doc.id, projectId: doc.projectId, resources }
  return liveOverlaps(call, () => store.findOverlaps(call.db, call.actor.tenantId, task))
}

export const requireAddedFree = async (call: Call, task: StoredTask, wanted: readonly string[]): Promise<void> =>
  refuse(call, await overlapsOfAdded(call, task, wanted))

/** The same, told instead of refused. */
export const reservedOf = async (call: Call, task: StoredTask, wanted: readonly string[]): Promise<Set<string>> =>
  new Set((await overlapsOfAdded(call, task, wanted)).map(({ resource }) => resource))

/** What live claims reserve in the projects that a caller may see. */
export const listReservations = async (call: Call, query: ReservationList): Promise<Page<Reservation>> => {
  const { db, actor, clock } = call
  const { projectId } = query
  const projectIds = projectId === undefined ? actor.projectIds : [await projectIdNamed(call, projectId)]
  const page = await pagedList(query, {
    list: [actor.tenantId, 'resources', projectIds],
    kinds: ['text', 'text', 'text'],
    read: (after = ['', '', ''], count) =>
      store.listReservations(db, actor.tenantId, projectIds, after, clock(), count),
    placeOf: ({ project_id, resource, task_id }) => [project_id, resource, task_id],
  })
  return {
    ...page,
    items: page.items.map(({ project_id, resource, task_id, title, claim }) => {
      const { keyId, keyName, worker, expiresAt } = JSON.parse(claim) as Claim
      return {
        ...{ resource, taskId: task_id, projectId: project_id, title: JSON.parse(title) as string },
        ...{ heldBy: { keyId, name: keyName }, worker, expiresAt },
      }
    }),
  }
}
