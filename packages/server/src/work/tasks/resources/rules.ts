/** Whether whoever has the first resource also has the second: they are the same, or it is a folder that includes it. */
export const includes = (outer: string, inner: string): boolean =>
  outer === inner || (outer.endsWith('/') && (inner.startsWith(outer) || `${inner}/` === outer))

/** The resources that another one of the same list includes. */
export const coveredOf = (resources: readonly string[]): ReadonlySet<string> =>
  new Set(resources.filter((inner) => resources.some((outer) => outer !== inner && includes(outer, inner))))
