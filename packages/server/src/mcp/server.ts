import { type McpServerFactory, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { errorCodes } from '../base/error-reasons.js'
import { AppError, type ErrorDetail, invalid } from '../base/errors.js'
import { didYouMean } from '../base/nearest-name.js'
import { version } from '../config.js'
import { createValidators, type Validator } from '../http/api/validation.js'
import { toAppError } from '../http/errors.js'
import { holdsScope } from '../operations/actor.js'
import type { OperationCall } from '../operations/operation.js'
import { admitOperations, inSlot } from '../operations/run-operation.js'
import { errorLine } from './errors.js'
import { instructionsFor, workPrompt } from './instructions.js'
import { withStoredRefs } from './references.js'
import { completeResource, readResource, resourceTemplatesFor } from './resources.js'
import { excerpt } from './text/text.js'
import type { SentArguments, Tool } from './tool.js'
import { tools } from './tools.js'

/** One request of a client that has been let in. */
export interface McpRequest {
  readonly call: OperationCall
  /** Over the limit of requests: said in the result of a tool, where a model reads it. */
  readonly refusal: AppError | undefined
  /** What is wrong with the arguments of its tool, where they could not be read. */
  readonly problem: ErrorDetail | undefined
  /** The JSON-RPC method, where there is one. */
  readonly method: string | undefined
}

const requests = 'worklore'

/** How the request reaches the server that is made for it: as what the handler passes on untouched. */
export const authInfoOf = (request: McpRequest) => ({
  token: '',
  clientId: request.call.actor.keyId,
  scopes: [...request.call.actor.scopes],
  extra: { [requests]: request },
})

/** Bounds that a model need not know: a call that passes one is told so. */
const unlisted = new Set([
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'patternMessage',
  'additionalProperties',
])

/** The schema that clients are given: each token of it is paid for in every conversation. */
const schemaOf = ({ input }: Tool) =>
  JSON.parse(
    JSON.stringify(input, (name, value) => {
      if (unlisted.has(name) || value?.isUnlisted) return undefined
      return Array.isArray(value?.enum) ? { type: 'string', ...value } : value
    }),
  ) as { type: 'object' }

const strict = ({ input }: Tool) => Type.Object(input.properties, { ...input, additionalProperties: false })

interface OfferedTool extends Tool {
  readonly listed: {
    name: string
    title: string
    description: string
    inputSchema: { type: 'object' }
    annotations: Tool['annotations']
  }
  readonly problemsOf: Validator
}

const createTools = (): ReadonlyMap<string, OfferedTool> => {
  const validators = createValidators()
  return new Map(
    tools.map((tool) => {
      const { name, title, description, annotations } = tool
      const listed = { name, title, description, inputSchema: schemaOf(tool), annotations }
      return [name, { ...tool, listed, problemsOf: validators.body(strict(tool)) }]
    }),
  )
}

const isOffered = ({ scopes }: Tool, { actor }: OperationCall): boolean =>
  scopes.some((scope) => holdsScope(actor, scope))

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** Makes the server of each request; all that servers share is made here, once. */
export const createServerFactory = (logger: FastifyBaseLogger): McpServerFactory => {
  const known = createTools()
  const names = [...known.keys()]

  const errorResult = async ({ call }: McpRequest, error: unknown, naming?: 'arguments') => {
    const shown = toAppError(error)
    const { requestId, traceparent, usage } = call.origin
    if (usage) usage.status = errorCodes[shown.code]
    if (shown.code === 'INTERNAL_ERROR') logger.error({ err: shown.cause, requestId, traceparent }, 'request failed')
    const reference = shown.code === 'INTERNAL_ERROR' ? ` requestId: ${requestId}` : ''
    return { ...textResult((await errorLine(call, shown, naming)) + reference), isError: true }
  }

  const callTool = async (request: McpRequest, name: string, args: SentArguments) => {
    const tool = known.get(name)
    if (!tool) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${excerpt(name)}${didYouMean(name, names)}`,
      )
    }
    const problems = request.problem ? [request.problem] : tool.problemsOf(args)
    try {
      if (request.refusal) throw request.refusal
      const call = { ...request.call, origin: { ...request.call.origin, operation: name } }
      const needed = isOffered(tool, call) ? tool.operations(args, call.actor) : [{ scope: tool.scopes[0]! }]
      await admitOperations(call, needed)
      if (problems.length > 0) throw invalid(...problems)
      const run = (call: OperationCall) => tool.run(call, withStoredRefs(args) as never)
      return textResult(await (tool.isWaiting?.(args) ? run(call) : inSlot(call, run)))
    } catch (error) {
      const isOfArguments = problems.length > 0 && error instanceof AppError && error.code === 'VALIDATION_ERROR'
      return errorResult(request, error, isOfArguments ? 'arguments' : undefined)
    }
  }

  return async ({ authInfo }) => {
    const request = authInfo!.extra![requests] as McpRequest
    const { call, method } = request
    const isIntroduction = method === 'initialize' || method === 'server/discover'
    const server = new Server(
      { name: 'worklore', title: 'Worklore', version },
      {
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        ...(isIntroduction && { instructions: await instructionsFor(call) }),
      },
    )
    server.setRequestHandler('tools/list', () => ({
      tools: [...known.values()].filter((tool) => isOffered(tool, call)).map(({ listed }) => listed),
    }))
    server.setRequestHandler('tools/call', ({ params }) => callTool(request, params.name, params.arguments ?? {}))
    server.setRequestHandler('resources/list', () => ({ resources: [] }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resourceTemplatesFor(call) }))
    server.setRequestHandler('resources/read', ({ params }) => readResource(call, params.uri))
    server.setRequestHandler('prompts/list', () => ({
      prompts: [{ name: 'work', description: 'How to take, do and hand back work here' }],
    }))
    server.setRequestHandler('prompts/get', ({ params }) => {
      if (params.name !== 'work') {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${excerpt(params.name)} not found`)
      }
      return { messages: [{ role: 'user', content: { type: 'text', text: workPrompt } }] }
    })
    server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
      if (ref.type !== 'ref/resource') return { completion: { values: [] } }
      return completeResource(call, ref.uri, argument.name, argument.value)
    })
    return server
  }
}
