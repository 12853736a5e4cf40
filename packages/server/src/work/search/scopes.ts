import type { IndexFilter } from 'worklore-search'
import { isListed, type ProjectSet } from '../../base/project-set.js'

/** The projects that are searched, as the index knows them. */
export const scopesOf = (set: ProjectSet): Pick<IndexFilter, 'scopes' | 'exceptScopes'> => {
  if (set === null) return {}
  return isListed(set) ? { scopes: set } : { exceptScopes: set.except }
}
