import type { Json } from '../../base/json.js'
import type { Task } from './schema.js'

/** A task without its long text, for interfaces whose readers pay for every word. */
export type BriefTask = Omit<Task, 'description'>

export const briefTask = <T extends Task>(json: Json<T>): Omit<T, 'description'> => {
  const { description, ...brief } = JSON.parse(json) as T
  return brief
}

/** The tasks of a list or a search, each with all other fields that it came with. */
export const briefTasks = <T extends Task>(json: Json<T[]>): Omit<T, 'description'>[] =>
  (JSON.parse(json) as T[]).map(({ description, ...brief }) => brief)
