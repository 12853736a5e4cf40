import { invalid, notFound } from '../../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../../base/paging.js'
import { type ProjectSet, withTenantWide } from '../../../base/project-set.js'
import { mayUseProject } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { existingProjectKeys, projectNamed } from '../../../tenancy/projects/service.js'
import { findReferences } from '../../tasks/references.js'
import { checkKey } from '../key.js'
import type { ItemAddress } from '../moves/moved.js'
import { itemNotFound, resolvePlace } from '../place.js'
import { findItem, listLeftKeys } from '../store.js'
import { createResolver } from './resolve.js'
import type { KnowledgeLink, LinkQuery } from './schema.js'
import * as store from './store.js'

/** Tells an id of a task that is gone from a word that only looks like one. */
const keyIn = (taskId: string): string => taskId.slice(0, taskId.lastIndexOf('-'))

/** What an item links to, in the order of its content. Ids that begin with the key of no project are no links. */
const linksOut = async (call: Call, item: ItemAddress, query: LinkQuery): Promise<Page<KnowledgeLink>> => {
  const { db, actor } = call
  const { limit = 50, cursor } = query
  const fingerprint = listFingerprint([actor.tenantId, 'links out', item.id])
  const [after] = cursor === undefined ? [-1] : decodeCursor<[number]>(cursor, fingerprint, ['integer'])
  const links = await store.listLinks(db, actor.tenantId, item.id, after, limit + 1)
  const keys = links.filter(({ kind }) => kind === 'item')
  const resolved = await createResolver(call)(
    keys.map(({ target }) => ({ project_id: item.projectId, key: item.key, target })),
  )
  const addresses = new Map(keys.map(({ place }, at) => [place, resolved[at]]))
  const ids = links.flatMap(({ kind, target }) => (kind === 'task' ? [target] : []))
  const tasks = await findReferences(call, ids)
  const isUsable = (id: string): boolean => {
    const task = tasks.get(id)
    return task !== undefined && mayUseProject(actor, task.projectId)
  }
  const hidden = ids.filter((id) => !isUsable(id)).map(keyIn)
  const projectKeys = await existingProjectKeys(call, [...new Set(hidden)])
  const { items, ...rest } = pageOf(links, limit, ({ place }) => encodeCursor(fingerprint, [place]))
  return {
    ...rest,
    items: items.flatMap(({ kind, target, place }): KnowledgeLink[] => {
      if (kind === 'task') {
        const exists = isUsable(target)
        if (!exists && !projectKeys.has(keyIn(target))) return []
        return [{ task: target, projectId: exists ? tasks.get(target)!.projectId : null, exists }]
      }
      const found = addresses.get(place)
      const key = found === undefined || found.isMoved ? target : found.key
      return [{ key, projectId: found?.projectId || null, exists: found !== undefined }]
    }),
  }
}

const maxLeftKeys = 200

/** Returns the targets of links that can lead to an item: its key, each ending of the key, and keys that it has left. */
const targetsOf = async ({ db, actor }: Call, { id, key }: ItemAddress): Promise<string[]> => {
  const targets = [key, ...(await listLeftKeys(db, actor.tenantId, id, maxLeftKeys))]
  for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) targets.push(key.slice(at + 1))
  return targets
}

interface Sought {
  kind: 'item' | 'task'
  targets: readonly string[]
  projectIds: ProjectSet
  fingerprint: number
  /** Which of the sources do link to it. */
  matches(sources: readonly store.LinkSource[]): Promise<boolean[]>
}

type LinkPosition = readonly [itemId: string, place: number]

/** The position after all links of an item. */
const afterItem = (id: string): LinkPosition => [id, Number.MAX_SAFE_INTEGER]

/** Limits how often the next sources are read for one page. */
const maxReads = 20

const linksIn = async (call: Call, sought: Sought, query: LinkQuery): Promise<Page<KnowledgeLink>> => {
  const { db, actor } = call
  const { limit = 50, cursor } = query
  const { fingerprint } = sought
  let after: LinkPosition =
    cursor === undefined ? ['', 0] : decodeCursor<[string, number]>(cursor, fingerprint, ['text', 'integer'])
  const found = new Map<string, KnowledgeLink>()
  let hasMore = true
  for (let reads = 0; reads < maxReads && hasMore && found.size <= limit; reads++) {
    const sources = await store.listSources(db, actor.tenantId, { ...sought, after }, limit + 1)
    const matches = await sought.matches(sources)
    for (const [at, { id, key, project_id, title, place }] of sources.entries()) {
      if (matches[at]) found.set(id, { key, projectId: project_id || null, title: JSON.parse(title ?? 'null') })
      after = found.has(id) ? afterItem(id) : [id, place]
    }
    hasMore = sources.length > limit
  }
  const page = pageOf([...found], limit, ([id]) => encodeCursor(fingerprint, afterItem(id)))
  const rest = page.hasMore || !hasMore ? page : { hasMore: true, nextCursor: encodeCursor(fingerprint, after) }
  return { ...page, ...rest, items: page.items.map(([, item]) => item) }
}

const itemSought = async (call: Call, item: ItemAddress): Promise<Sought> => {
  const resolve = createResolver(call)
  const { tenantId, projectIds } = call.actor
  return {
    kind: 'item',
    targets: await targetsOf(call, item),
    // Items of other projects cannot mean one of this project.
    projectIds: item.projectId === '' ? withTenantWide(projectIds) : ['', item.projectId],
    fingerprint: listFingerprint([tenantId, 'links in', item.id]),
    matches: async (sources) => (await resolve(sources)).map((found) => found?.id === item.id),
  }
}

const taskSought = async (call: Call, taskId: string): Promise<Sought> => {
  const { tenantId, projectIds } = call.actor
  const task = (await findReferences(call, [taskId])).get(taskId)
  if (!task || !mayUseProject(call.actor, task.projectId)) throw notFound('task', taskId)
  return {
    kind: 'task',
    targets: [taskId],
    projectIds: withTenantWide(projectIds),
    fingerprint: listFingerprint([tenantId, 'links in', taskId]),
    matches: async (sources) => sources.map(() => true),
  }
}

export const listLinks = async (call: Call, query: LinkQuery): Promise<Page<KnowledgeLink>> => {
  const { key, task, projectId, direction } = query
  if (projectId !== undefined) await projectNamed(call, projectId)
  if ((key === undefined) === (task === undefined)) {
    throw invalid({ path: 'key', message: 'must be given, or task instead' })
  }
  if (task !== undefined) {
    if (direction === 'out') throw invalid({ path: 'direction', message: 'must be in: a task has no links of its own' })
    return linksIn(call, await taskSought(call, task), query)
  }
  checkKey(key!)
  const place = await resolvePlace(call, key!, projectId)
  const item = await findItem(call.db, call.actor.tenantId, place, key!)
  if (!item) throw await itemNotFound(call, key!, projectId)
  const address: ItemAddress = { id: item.id, projectId: place, key: item.key }
  return direction === 'in' ? linksIn(call, await itemSought(call, address), query) : linksOut(call, address, query)
}
