import { isListed, type ProjectSet } from '../base/project-set.js'
import type { Dialect } from './dialect.js'

/** A condition that follows others: the column is one of a set's projects. With its parameter, where it has one. */
export const inProjects = (
  { isAmong, listOf }: Pick<Dialect, 'isAmong' | 'listOf'>,
  column: string,
  set: ProjectSet,
): [text: string, params: string[]] => {
  if (set === null) return ['', []]
  const among = isAmong(column, 'text')
  return isListed(set) ? [` and ${among}`, [listOf(set)]] : [` and not (${among})`, [listOf(set.except)]]
}

/**
 * A condition on the rows of a table: they are of no project that has a mark. Whether there is such a project at all is
 * asked once, and its rows are looked at only then.
 */
const ofUnmarkedProject = (table: string, mark: 'deleting_at' | 'paused'): string =>
  `(not exists (select 1 from projects p where p.tenant_id = :tenant and p.${mark} is not null)
    or not exists (select 1 from projects p
      where p.tenant_id = :tenant and p.id = ${table}.project_id and p.${mark} is not null))`

/** What is in a project that is being deleted is gone. */
export const ofVisibleProject = (table: string): string => ofUnmarkedProject(table, 'deleting_at')

/**
 * The same for the rows of a list, none of which is without a project. PostgreSQL takes the other form for so much work
 * that it plans each list anew.
 */
export const listedOfVisibleProject = (table: string): string =>
  `${table}.project_id not in (select p.id from projects p where p.tenant_id = :tenant and p.deleting_at is not null)`

/** The same of one project, whose id is a parameter or a column of the one row that is read. */
export const isVisibleProject = (id: string): string =>
  `(select p.deleting_at from projects p where p.tenant_id = :tenant and p.id = ${id}) is null`

/** What is in a paused project is not handed out. */
export const ofRunningProject = (table: string): string => ofUnmarkedProject(table, 'paused')

/** A project is named by its id or its key; the two cannot be mistaken, since a key has no underscore. */
export const projectColumn = (ref: string): 'id' | 'key' => (ref.startsWith('prj_') ? 'id' : 'key')
