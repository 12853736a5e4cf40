import { type Links, missingLink, withoutCycle } from './links.js'
import type { SourceTask } from './records.js'

/** What a task waits for: its blockers, those of its ancestors, and its parts. */
const createGraph = () => {
  const links = new Map<string, Links>()
  const children = new Map<string, string[]>()
  /** The task itself, and what it is a part of. */
  const lineOf = (id: string | null): string[] => {
    const line: string[] = []
    for (let at = id; at !== null; at = links.get(at)?.parentId ?? null) line.push(at)
    return line
  }
  const blockersOf = (ids: readonly string[]): string[] => ids.flatMap((id) => links.get(id)?.blockedBy ?? [])
  const waitsOf = (id: string): string[] => [...blockersOf(lineOf(id)), ...(children.get(id) ?? [])]

  /** A way from one of the tasks to a target, by what each waits for. */
  const wayTo = (fromIds: readonly string[], targets: ReadonlySet<string>): string[] | undefined => {
    const before = new Map<string, string | undefined>(fromIds.map((id) => [id, undefined]))
    for (const id of before.keys()) {
      if (targets.has(id)) {
        const way: string[] = []
        for (let at: string | undefined = id; at !== undefined; at = before.get(at)) way.unshift(at)
        return way
      }
      for (const next of waitsOf(id)) if (!before.has(next)) before.set(next, id)
    }
    return undefined
  }

  const below = (id: string): Set<string> => {
    const found = new Set([id])
    for (const each of found) for (const child of children.get(each) ?? []) found.add(child)
    return found
  }

  return {
    /** The tasks that would wait for each other. */
    cycleWith: (id: string, { blockedBy, parentId }: Links): string[] | undefined => {
      const ancestors = lineOf(parentId)
      const waitedFor = [...blockedBy, ...blockersOf(ancestors)]
      const whole = below(id)
      if (parentId !== null && whole.has(parentId)) return [id, parentId]
      return wayTo(waitedFor, whole) ?? wayTo([id, ...waitedFor], new Set(ancestors))
    },
    add: (id: string, added: Links): void => {
      links.set(id, added)
      if (added.parentId !== null) children.set(added.parentId, [...(children.get(added.parentId) ?? []), id])
    },
  }
}

/**
 * The links that an import would leave out, found as the service finds them: to tasks that are not there, and those by
 * which tasks would wait for each other. `idOf` knows the tasks by every name. The order is that of the import.
 */
export const rehearseLinks = (tasks: readonly SourceTask[], idOf: ReadonlyMap<string, string>): string[] => {
  const graph = createGraph()
  const dropped: string[] = []
  for (const { id, blockedBy, parentId } of tasks) {
    const known = (old: string): string[] => {
      const found = idOf.get(old)
      if (found === undefined) dropped.push(missingLink(id, old))
      return found === undefined ? [] : [found]
    }
    const [parent = null] = parentId === undefined ? [] : known(parentId)
    let links: Links = { blockedBy: [...new Set(blockedBy.flatMap(known))], parentId: parent }
    for (let cycle = graph.cycleWith(id, links); cycle; cycle = graph.cycleWith(id, links)) {
      dropped.push(`${id}: would wait for itself: ${[id, ...cycle.filter((each) => each !== id), id].join(' → ')}`)
      links = withoutCycle(links, new Set(cycle))
    }
    graph.add(id, links)
  }
  return dropped
}
