import type { KnowledgeEntry } from '../store/knowledge'

/** A line of the tree: a group of items, a folder, or an item; one may be folder and item at once. */
export interface TreeRow {
  id: string
  kind: 'scope' | 'node'
  name: string
  depth: number
  /** The item's key; the folder's prefix where there is no item. */
  path: string
  projectId: string | null
  entry: KnowledgeEntry | undefined
  /** Items below; 0 for a leaf. */
  count: number
  isExpanded: boolean
}

/** A folder, an item, or both. Most folders are never opened, so their children are found when they are asked for. */
interface Node {
  name: string
  path: string
  entry: KnowledgeEntry | undefined
  below: KnowledgeEntry[]
  children: readonly Node[] | undefined
}

/** The items of each scope as a tree. */
type Trees = ReadonlyMap<string | null, Node>

const createNode = (name: string, path: string): Node => ({
  name,
  path,
  entry: undefined,
  below: [],
  children: undefined,
})

/** Sorts as people expect it: numbers by value, letters with and without accents together. Faster than a collator. */
const sortKeyOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\d+/g, (digits) => digits.padStart(12, '0'))

const sorted = (nodes: Iterable<Node>): Node[] =>
  Array.from(nodes, (node) => ({ node, key: sortKeyOf(node.name) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.node.name < b.node.name ? -1 : 1))
    .map(({ node }) => node)

const childrenOf = (node: Node): readonly Node[] => {
  if (node.children) return node.children
  const start = node.path === '' ? 0 : node.path.length + 1
  const byName = new Map<string, Node>()
  for (const entry of node.below) {
    const end = entry.key.indexOf('/', start)
    const isLast = end < 0
    const name = isLast ? entry.key.slice(start) : entry.key.slice(start, end)
    let child = byName.get(name)
    if (!child) {
      child = createNode(name, isLast ? entry.key : entry.key.slice(0, end))
      byName.set(name, child)
    }
    if (isLast) child.entry = entry
    else child.below.push(entry)
  }
  node.children = sorted(byName.values())
  return node.children
}

/** The items that match. */
export const treesOf = (entries: Iterable<KnowledgeEntry>, matches: (entry: KnowledgeEntry) => boolean): Trees => {
  const trees = new Map<string | null, Node>()
  for (const entry of entries) {
    if (!matches(entry)) continue
    let root = trees.get(entry.projectId)
    if (!root) {
      root = createNode('', '')
      trees.set(entry.projectId, root)
    }
    root.below.push(entry)
  }
  return trees
}

export interface ScopeOf {
  projectId: string | null
  name: string
}

/** The visible lines, for the folders that are expanded. */
export const rowsOf = (trees: Trees, scopes: readonly ScopeOf[], isExpanded: (id: string) => boolean): TreeRow[] => {
  const rows: TreeRow[] = []
  for (const { projectId, name } of scopes) {
    const root = trees.get(projectId)
    if (!root) continue
    const scopeId = projectId ?? 'shared'
    const isOpen = isExpanded(scopeId)
    rows.push({
      id: scopeId,
      kind: 'scope',
      name,
      depth: 0,
      path: '',
      projectId,
      entry: undefined,
      count: root.below.length,
      isExpanded: isOpen,
    })
    if (!isOpen) continue
    const addRows = (node: Node, depth: number): void => {
      for (const child of childrenOf(node)) {
        const below = child.below.length
        const id = `${scopeId}:${child.path}`
        const isChildOpen = below > 0 && isExpanded(id)
        rows.push({
          id,
          kind: 'node',
          name: child.name,
          depth,
          path: child.path,
          projectId,
          entry: child.entry,
          count: below,
          isExpanded: isChildOpen,
        })
        if (isChildOpen) addRows(child, depth + 1)
      }
    }
    addRows(root, 0)
  }
  return rows
}
