import { isListed, type ProjectSet } from '../base/project-set.js'
import type { Dialect } from './dialect.js'

/** A condition with `visibleMarkParams`: a column of staleness marks contains one about an item of certain projects. */
export const hasVisibleMark = (dialect: Dialect, column: string): string =>
  `(${column} is not null and exists (select 1 from ${dialect.jsonElements(column)}
    where (${dialect.isAmong("coalesce(element.value ->> 'projectId', '')", 'text')}) = (cast(? as bigint) = 1)))`

/** The parameters of `hasVisibleMark`, of which the first is a list. */
export const visibleMarkParams = (projects: ProjectSet): [ids: readonly string[], isAmong: 0 | 1] =>
  isListed(projects) ? [projects, 1] : [projects?.except ?? [], 0]
