interface Node<T> {
  value: T | undefined
  readonly next: Map<string, Node<T>>
}

const emptyNode = <T>(): Node<T> => ({ value: undefined, next: new Map() })

/**
 * Keeps what is made of several texts, for each combination of them; all are forgotten at the bound. A long text is looked
 * up by its hash, which it keeps; one made of them each time would have to be hashed each time.
 */
export const createTextCombinations = <T>(bound: number): ((texts: readonly string[], make: () => T) => T) => {
  let root = emptyNode<T>()
  let size = 0
  return (texts, make) => {
    let node = root
    for (const text of texts) {
      const known = node.next.get(text)
      const next = known ?? emptyNode<T>()
      if (!known) node.next.set(text, next)
      node = next
    }
    if (node.value !== undefined) return node.value
    if (size >= bound) {
      root = emptyNode()
      size = 0
      return make()
    }
    size++
    node.value = make()
    return node.value
  }
}
