import type { ItemAddress } from '../../item-link'
import type { LinkedItem } from '../../markdown/item-links'
import type { KnowledgeView } from '../../store/knowledge'

const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** The key that `./` and `../` lead to from an item; undefined where they lead out of all folders. */
const fromFolder = (key: string, path: string): string | undefined => {
  const segments = folderOf(key).split('/').slice(0, -1)
  for (const segment of path.split('/')) {
    if (segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}

const keyOf = (from: string, written: string): string | undefined => {
  const path = written.trim().replace(/^\/+/, '').replace(/\.md$/i, '')
  return (/^\.\.?\//.test(path) ? fromFolder(from, path) : path) || undefined
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The key of a Markdown link in an item; undefined where it is an address of something else. */
export const keyOfHref = (from: string, href: string): string | undefined =>
  isAddress.test(href) ? undefined : keyOf(from, decoded(href.replace(/[?#].*$/, '')))

const placedName = (projectId: string | null, name: string): string => `${projectId ?? ''}\n${name}`

/** Keys by each of their endings; null where several have it. */
const readEndings = (entries: Iterable<ItemAddress>): Map<string, string | null> => {
  const endings = new Map<string, string | null>()
  for (const { projectId, key } of entries) {
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
      const name = placedName(projectId, key.slice(at + 1))
      endings.set(name, endings.has(name) ? null : key)
    }
  }
  return endings
}

/**
 * What links in an item lead to, by the rules of the service: in the item's project, then tenant-wide, as a key, as a
 * key in the item's folder, or as the end of one key alone. Only the service knows of keys that items were moved from.
 */
export const createResolver = (index: KnowledgeView, from: ItemAddress) => {
  const places = from.projectId === null ? [null] : [from.projectId, null]
  let endings: Map<string, string | null> | undefined
  return (written: string): LinkedItem | undefined => {
    const target = keyOf(from.key, written)
    if (target === undefined) return undefined
    for (const projectId of places) {
      for (const key of [target, folderOf(from.key) + target]) {
        if (index.get(projectId, key)) return { key, projectId, exists: true }
      }
    }
    endings ??= readEndings(index.entries())
    for (const projectId of places) {
      const key = endings.get(placedName(projectId, target))
      if (key) return { key, projectId, exists: true }
    }
    return { key: target, projectId: from.projectId, exists: index.isComplete ? false : undefined }
  }
}
