import { type TSchema, Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import { taskRecord } from '../../work/tasks/fields.js'
import type { TaskPatch } from '../../work/tasks/schema.js'

/** Returns the argument schema of a field. Null clears a nullable number, and "none" clears a text. */
export const argumentOf = (argument: TSchema, initial: unknown): TSchema => {
  const { type } = argument as { type?: string }
  const isNumber = type === 'number' || type === 'integer'
  return initial === null && isNumber ? { ...argument, type: [type, 'null'] } : argument
}

/** The arguments of create_task and update_task that set the field of the same name. */
export const fieldArguments: Record<never, TSchema> = Object.fromEntries(
  taskRecord.entries.flatMap(([name, { argument, initial }]) =>
    argument ? [[name, Type.Optional(argumentOf(argument, initial))]] : [],
  ),
)

/** What clears a field that takes a text. */
const none = 'none'
export const orNull = (text: string): string | null => (text === none ? null : text)

const clearable = new Set<string>(
  taskRecord.entries.filter(([, { initial }]) => initial === null).map(([name]) => name),
)

/** The fields that arguments of their names set. */
export const fieldsOf = (args: object): TaskPatch =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, clearable.has(name) && value === none ? null : value]),
  )

const listed = 'blockedBy'

/** Names the argument that a blocker came by, where an error names its place among all blockers of the task. */
export const namingBlockers =
  (argument: string, sent: readonly string[], all: readonly string[]) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !error.params.details) throw error
    const details = error.params.details.map(({ path, message }) => {
      const [field, index] = path.split('.')
      if (field !== listed) return { path, message }
      const at = index === undefined ? -1 : sent.indexOf(all[Number(index)]!)
      return { path: at < 0 ? argument : `${argument}.${at}`, message }
    })
    throw error.with({ details })
  }

/** Names the place in a list that an error is about. */
export const inList =
  (prefix: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !error.params.details) throw error
    const details = error.params.details.map(({ path, message }) => ({ path: `${prefix}${path}`, message }))
    throw error.with({ details })
  }
