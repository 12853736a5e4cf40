import type { Call } from '../../../operations/call.js'
import { type ItemAddress, movedTo } from '../moves/moved.js'
import { isReadable } from '../place.js'
import { candidatesOf } from './extract.js'
import * as store from './store.js'

/** A place with more items is not looked through for the last part of a key. */
const maxNamedKeys = 20_000

/** The item that a link leads to. */
interface Resolved extends ItemAddress {
  /** Whether the link uses a former key of the item. */
  isMoved?: true
}

const placeName = (projectId: string, key: string): string => `${projectId}/${key}`

/**
 * Resolves links of items. A target is searched in the item's project, then among tenant-wide items: as a key, as a key in
 * the item's folder, as the ending of a single key, and as a key that an item has left.
 */
export const createResolver = (call: Call) => {
  const { db, actor } = call
  const itemsByEnding = new Map<string, Promise<Map<string, ItemAddress | null>>>()

  /** Maps each ending of the keys of a place to its item; null if several keys have the ending. */
  const readEndings = async (projectId: string): Promise<Map<string, ItemAddress | null>> => {
    const items = await store.listKeys(db, actor.tenantId, projectId, maxNamedKeys + 1)
    const endings = new Map<string, ItemAddress | null>()
    if (items.length > maxNamedKeys) return endings
    for (const { id, key } of items) {
      for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
        const ending = key.slice(at + 1)
        endings.set(ending, endings.has(ending) ? null : { id, projectId, key })
      }
    }
    return endings
  }

  const byEnding = async (projectId: string, ending: string): Promise<ItemAddress | undefined> => {
    const items = itemsByEnding.get(projectId) ?? readEndings(projectId)
    itemsByEnding.set(projectId, items)
    return (await items).get(ending) ?? undefined
  }

  const resolveElsewhere = async (places: readonly string[], target: string): Promise<Resolved | undefined> => {
    for (const projectId of places) {
      const found = await byEnding(projectId, target)
      if (found) return found
    }
    for (const projectId of places) {
      const found = await movedTo(call, target, projectId, isReadable)
      if (found) return { ...found, isMoved: true }
    }
    return undefined
  }

  /** Returns the item that each link leads to; undefined for a link that leads nowhere. */
  return async (
    links: readonly Pick<store.LinkSource, 'project_id' | 'key' | 'target'>[],
  ): Promise<(Resolved | undefined)[]> => {
    if (links.length === 0) return []
    const projectIds = [...new Set(['', ...links.map(({ project_id }) => project_id)])]
    const keys = [...new Set(links.flatMap(({ key, target }) => candidatesOf(key, target)))]
    const rows = await store.findPlacedKeys(db, actor.tenantId, projectIds, keys)
    const existing = new Map(
      rows.map(({ id, project_id, key }) => [placeName(project_id, key), { id, projectId: project_id, key }]),
    )
    const found: (Resolved | undefined)[] = []
    for (const { project_id, key, target } of links) {
      const places = project_id === '' ? [''] : [project_id, '']
      const names = places.flatMap((projectId) =>
        candidatesOf(key, target).map((candidate) => placeName(projectId, candidate)),
      )
      const name = names.find((name) => existing.has(name))
      found.push(name === undefined ? await resolveElsewhere(places, target) : existing.get(name))
    }
    return found
  }
}
