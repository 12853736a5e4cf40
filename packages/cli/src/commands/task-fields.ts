import type { Task, UpdateTaskBody } from 'worklore-client'
import type { Cli } from '../command.js'
import { textOf } from '../input.js'
import { userIdOf } from '../named-records.js'
import { text, texts } from '../option.js'
import { asTaskId } from '../task-id.js'
import { futureTime } from '../times.js'

/** The fields of a task that can be set when it is created, and later. */
export const fieldOptions = {
  description: text('TEXT', 'Markdown; - reads it from standard input', 'd'),
  result: text('TEXT', 'What came out: Markdown, or none; - reads it from standard input'),
  status: text('STATUS', 'or one of the project', 's'),
  priority: text('PRIORITY'),
  assignee: text('USER', 'A user by id, handle, name or email; me; none'),
  due: text('DATE', '2026-01-31, a time, or none'),
  parent: text('ID', 'The task that this is a part of, or none'),
  'not-before': text('TIME', 'Not ready before: 2h, 3d, a time, or none'),
  'external-id': text('TEXT', 'Identifier in another system, or none'),
  resource: texts('TEXT', 'What it needs for itself while it is claimed; repeat it for several, or none'),
}

type Values = Partial<Record<Exclude<keyof typeof fieldOptions, 'resource'>, string | undefined>> & {
  resource?: string[] | undefined
}

/** Reads the value of an option. `none` becomes null, which clears the field. */
export const noneOr = <T>(value: string | undefined, read: (value: string) => T): T | null | undefined =>
  value === undefined ? undefined : value === 'none' ? null : read(value)

export const asIs = (value: string): string => value

/** Those that were given. */
export const fieldsOf = async (cli: Cli, values: Values): Promise<UpdateTaskBody> => ({
  description: await textOf(values.description),
  result: noneOr(await textOf(values.result), asIs),
  status: values.status,
  priority: values.priority as Task['priority'] | undefined,
  assigneeId: await userIdOf(cli.client(), values.assignee),
  dueDate: noneOr(values.due, asIs),
  parentId: noneOr(values.parent, asTaskId),
  notBefore: noneOr(values['not-before'], (time) => futureTime('--not-before', time)!),
  externalId: noneOr(values['external-id'], asIs),
  resources: values.resource?.filter((resource) => resource !== 'none'),
})
