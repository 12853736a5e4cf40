import type { Call } from '../../../operations/call.js'
import { type ItemAddress, movedTo } from '../moves/moved.js'
import { isReadable } from '../place.js'
import { candidatesOf } from './extract.js'
import * as store from './store.js'

/** A place with more items is not looked through for the last part of a key. */
const maxNamedKeys = 20_000

/** What a link leads to. */
interface Resolved extends ItemAddress {
  /** By a key that the item was moved away from. */
  isMoved?: true
}

const nameOf = (address: ItemAddress): string => `${address.projectId}/${address.key}`

/**
 * What the links of items lead to. A link is looked for in the item's project, then tenant-wide: as a key, as a key in
 * the item's folder, as the last part of one key alone, and as a key that an item was moved away from.
 */
export const createResolver = (call: Call) => {
  const { db, actor } = call
  const keysByName = new Map<string, Promise<Map<string, string | null>>>()

  /** The keys of a place by each of their endings; null where several have it. */
  const readNames = async (projectId: string): Promise<Map<string, string | null>> => {
    const keys = await store.listKeys(db, actor.tenantId, projectId, maxNamedKeys + 1)
    const names = new Map<string, string | null>()
    if (keys.length > maxNamedKeys) return names
    for (const key of keys) {
      for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
        const name = key.slice(at + 1)
        names.set(name, names.has(name) ? null : key)
      }
    }
    return names
  }

  const byName = async (projectId: string, name: string): Promise<string | undefined> => {
    const names = keysByName.get(projectId) ?? readNames(projectId)
    keysByName.set(projectId, names)
    return (await names).get(name) ?? undefined
  }

  const resolveElsewhere = async (places: readonly string[], target: string): Promise<Resolved | undefined> => {
    for (const projectId of places) {
      const key = await byName(projectId, target)
      if (key !== undefined) return { projectId, key }
    }
    for (const projectId of places) {
      const found = await movedTo(call, target, projectId, isReadable)
      if (found) return { ...found, isMoved: true }
    }
    return undefined
  }

  /** What each of the links leads to; undefined where that is nothing. */
  return async (links: readonly store.LinkSource[]): Promise<(Resolved | undefined)[]> => {
    if (links.length === 0) return []
    const projectIds = [...new Set(['', ...links.map(({ project_id }) => project_id)])]
    const keys = [...new Set(links.flatMap(({ key, target }) => candidatesOf(key, target)))]
    const rows = await store.findPlacedKeys(db, actor.tenantId, projectIds, keys)
    const existing = new Set(rows.map(({ project_id, key }) => nameOf({ projectId: project_id, key })))
    const found: (Resolved | undefined)[] = []
    for (const { project_id, key, target } of links) {
      const places = project_id === '' ? [''] : [project_id, '']
      const candidates = places.flatMap((projectId) =>
        candidatesOf(key, target).map((candidate) => ({ projectId, key: candidate })),
      )
      found.push(
        candidates.find((candidate) => existing.has(nameOf(candidate))) ?? (await resolveElsewhere(places, target)),
      )
    }
    return found
  }
}
