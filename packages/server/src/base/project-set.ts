/**
 * Some of a tenant's projects: those that are listed, or all but some; null is all. The empty id stands for what belongs
 * to no project, which only a list leaves out.
 */
export type ProjectSet = readonly string[] | { readonly except: readonly string[] } | null

export const isListed = (set: ProjectSet): set is readonly string[] => Array.isArray(set)

export const includesProject = (set: ProjectSet, id: string): boolean => {
  if (set === null) return true
  return isListed(set) ? set.includes(id) : !set.except.includes(id)
}

/** The projects of a set, without some. */
export const withoutProjects = (set: ProjectSet, ids: readonly string[]): ProjectSet => {
  if (ids.length === 0) return set
  if (isListed(set)) return set.filter((id) => !ids.includes(id))
  return { except: [...new Set([...(set?.except ?? []), ...ids])] }
}

/** With what belongs to no project. */
export const withTenantWide = (set: ProjectSet): ProjectSet => (isListed(set) ? ['', ...set] : set)

/** The only project of a set that lists no other. */
export const onlyProjectOf = (set: ProjectSet): string | undefined =>
  isListed(set) && set.length === 1 ? set[0] : undefined
