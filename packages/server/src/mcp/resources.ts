import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { AppError } from '../base/errors.js'
import { holdsScope } from '../operations/actor.js'
import type { Operation, OperationCall } from '../operations/operation.js'
import { admitOperations, inSlot } from '../operations/run-operation.js'
import { getKnowledge, listKnowledge } from '../work/knowledge/operations.js'
import type { KnowledgeItem } from '../work/knowledge/schema.js'
import { getTask, listTasks } from '../work/tasks/operations.js'
import type { Task } from '../work/tasks/schema.js'
import { partOf, readBudget } from './budget.js'
import { errorLine } from './errors.js'
import { ownProjectKeys } from './projects.js'
import { taskRef } from './references.js'
import { run } from './run.js'
import { describeTask } from './text/task.js'
import { excerpt } from './text/text.js'

/** As many as an answer to a completion may have. */
const maxCompletions = 100

interface Resource {
  readonly name: string
  readonly uriTemplate: string
  readonly description: string
  readonly mimeType: string
  /** The operation that a read of it is. */
  readonly operation: Operation
  /** What its URIs begin with; the rest names the record. */
  readonly prefix: string
  /** The variable of the template. */
  readonly variable: string
  read(call: OperationCall, name: string): Promise<string>
  complete(call: OperationCall, beginning: string): Promise<string[]>
}

const contentOf = ({ content }: KnowledgeItem): string => {
  const { text, next } = partOf(content, 1, readBudget)
  return next === undefined ? text : `${text}\n[cut here, more: read_knowledge from_line ${next}]`
}

const completeTask = async (call: OperationCall, beginning: string): Promise<string[]> => {
  const [key, number] = beginning.toUpperCase().split('-', 2) as [string, string?]
  const projects = (await ownProjectKeys(call)).filter((each) =>
    number === undefined ? each.startsWith(key) : each === key,
  )
  if (projects.length === 0) return []
  const { data } = await run(call, listTasks, {
    projectId: projects.slice(0, 50),
    limit: maxCompletions,
    sort: '-updatedAt',
  })
  return data.map(({ id }) => id).filter((id) => id.startsWith(beginning.toUpperCase()))
}

const completeKey = async (call: OperationCall, beginning: string): Promise<string[]> => {
  const { data } = await run(call, listKnowledge, { prefix: beginning, fields: 'key', limit: maxCompletions })
  return [...new Set(data.map(({ key }) => key))]
}

const resources: readonly Resource[] = [
  {
    name: 'task',
    uriTemplate: 'worklore://task/{id}',
    description: 'A task with its comments, blockers and subtasks',
    mimeType: 'text/plain',
    operation: getTask as unknown as Operation,
    prefix: 'worklore://task/',
    variable: 'id',
    read: async (call, id) => describeTask(call, (await run(call, getTask, { taskId: taskRef(id) })).data as Task),
    complete: completeTask,
  },
  {
    name: 'knowledge',
    uriTemplate: 'worklore://knowledge/{+key}',
    description: 'A note',
    mimeType: 'text/markdown',
    operation: getKnowledge as unknown as Operation,
    prefix: 'worklore://knowledge/',
    variable: 'key',
    read: async (call, key) => contentOf((await run(call, getKnowledge, { key })).data),
    complete: completeKey,
  },
]

export const resourceTemplatesFor = ({ actor }: OperationCall) =>
  resources
    .filter(({ operation }) => holdsScope(actor, operation.scope!))
    .map(({ name, uriTemplate, description, mimeType }) => ({ name, uriTemplate, description, mimeType }))

const nameIn = (uri: string, prefix: string): string => {
  try {
    return decodeURIComponent(uri.slice(prefix.length))
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The URI is not valid percent-encoded UTF-8 text.')
  }
}

export const readResource = async (call: OperationCall, uri: string) => {
  const found = resources.find(({ prefix }) => uri.startsWith(prefix))
  if (!found) throw new ResourceNotFoundError(excerpt(uri))
  try {
    await admitOperations(call, [found.operation])
    const text = await inSlot(call, (call) => found.read(call, nameIn(uri, found.prefix)))
    return { contents: [{ uri, mimeType: found.mimeType, text }] }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error
    if (error.code === 'NOT_FOUND') throw new ResourceNotFoundError(excerpt(uri))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, await errorLine(call, error))
  }
}

export const completeResource = async (call: OperationCall, uriTemplate: string, variable: string, value: string) => {
  const found = resources.find((each) => each.uriTemplate === uriTemplate)
  if (!found)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${excerpt(uriTemplate)} not found`)
  if (variable !== found.variable) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${uriTemplate} has no variable "${excerpt(variable)}"`)
  }
  const values = holdsScope(call.actor, found.operation.scope!) ? await found.complete(call, value) : []
  return { completion: { values: values.slice(0, maxCompletions) } }
}
