import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { holdsScope, type Scope } from '../actor.js'
import type { Call } from '../call.js'
import { AppError } from '../errors.js'
import { listItems } from '../knowledge/list.js'
import { getKnowledge } from '../knowledge/operations.js'
import type { KnowledgeItem, KnowledgeMeta } from '../knowledge/schema.js'
import { getItem } from '../knowledge/service.js'
import { missingScope } from '../operations/admission.js'
import { listTasks } from '../tasks/list.js'
import { getTask as getTaskOperation } from '../tasks/operations.js'
import type { Task } from '../tasks/schema.js'
import { getTask } from '../tasks/service.js'
import { partOf, readBudget } from './budget.js'
import { errorLine } from './errors.js'
import { ownProjectKeys } from './projects.js'
import { describeTask } from './task-text.js'
import { excerpt, parsed } from './text.js'

/** As many as an answer to a completion may have. */
const mostCompletions = 100

interface Resource {
  readonly name: string
  readonly uriTemplate: string
  readonly description: string
  readonly mimeType: string
  readonly scope: Scope
  /** What its URIs begin with; the rest names the record. */
  readonly prefix: string
  /** The variable of the template. */
  readonly variable: string
  read(call: Call, name: string): Promise<string>
  complete(call: Call, beginning: string): Promise<string[]>
}

const contentOf = ({ content }: KnowledgeItem): string => {
  const { text, next } = partOf(content, 1, readBudget)
  return next === undefined ? text : `${text}\n[cut here, more: read_knowledge from_line ${next}]`
}

const completeTask = async (call: Call, beginning: string): Promise<string[]> => {
  const [key, number] = beginning.toUpperCase().split('-', 2) as [string, string?]
  const projects = (await ownProjectKeys(call)).filter((each) =>
    number === undefined ? each.startsWith(key) : each === key,
  )
  if (projects.length === 0) return []
  const { tasks } = await listTasks(call, {
    projectId: projects.slice(0, 50),
    limit: mostCompletions,
    sort: '-updatedAt',
  })
  return parsed<Task[]>(tasks)
    .map(({ id }) => id)
    .filter((id) => id.startsWith(beginning.toUpperCase()))
}

const completeKey = async (call: Call, beginning: string): Promise<string[]> => {
  const { items } = await listItems(call, { prefix: beginning, fields: 'key', limit: mostCompletions })
  return [...new Set(items.map((item) => parsed<KnowledgeMeta>(item).key))]
}

const resources: readonly Resource[] = [
  {
    name: 'task',
    uriTemplate: 'worklore://task/{id}',
    description: 'A task with its comments, blockers and subtasks',
    mimeType: 'text/plain',
    scope: getTaskOperation.scope!,
    prefix: 'worklore://task/',
    variable: 'id',
    read: async (call, id) => describeTask(call, (await getTask(call, id)).json),
    complete: completeTask,
  },
  {
    name: 'knowledge',
    uriTemplate: 'worklore://knowledge/{+key}',
    description: 'A note',
    mimeType: 'text/markdown',
    scope: getKnowledge.scope!,
    prefix: 'worklore://knowledge/',
    variable: 'key',
    read: async (call, key) => contentOf(parsed<KnowledgeItem>((await getItem(call, key, undefined)).json)),
    complete: completeKey,
  },
]

export const resourceTemplatesFor = ({ actor }: Call) =>
  resources
    .filter(({ scope }) => holdsScope(actor, scope))
    .map(({ name, uriTemplate, description, mimeType }) => ({ name, uriTemplate, description, mimeType }))

const nameIn = (uri: string, prefix: string): string => {
  try {
    return decodeURIComponent(uri.slice(prefix.length))
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The URI is not valid percent-encoded UTF-8 text.')
  }
}

export const readResource = async (call: Call, uri: string) => {
  const found = resources.find(({ prefix }) => uri.startsWith(prefix))
  if (!found) throw new ResourceNotFoundError(excerpt(uri))
  try {
    if (!holdsScope(call.actor, found.scope)) throw missingScope(found.scope)
    return { contents: [{ uri, mimeType: found.mimeType, text: await found.read(call, nameIn(uri, found.prefix)) }] }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error
    if (error.code === 'NOT_FOUND') throw new ResourceNotFoundError(excerpt(uri))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, await errorLine(call, error))
  }
}

export const completeResource = async (call: Call, uriTemplate: string, variable: string, value: string) => {
  const found = resources.find((each) => each.uriTemplate === uriTemplate)
  if (!found)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${excerpt(uriTemplate)} not found`)
  if (variable !== found.variable) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${uriTemplate} has no variable "${excerpt(variable)}"`)
  }
  const values = holdsScope(call.actor, found.scope) ? await found.complete(call, value) : []
  return { completion: { values: values.slice(0, mostCompletions) } }
}
