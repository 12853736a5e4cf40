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
