import { Type } from 'typebox'
import { AppError, type ErrorDetail, invalid } from '../../base/errors.js'
import type { EndpointLimit } from '../../limits/limiter.js'
import { requireScope } from '../../operations/admission.js'
import type { Operation, OperationCall } from '../../operations/operation.js'
import { operation } from '../../operations/operation.js'
import { dataOf, type Result } from '../../operations/result.js'
import { runTogether, runWithin } from '../../operations/run-operation.js'
import { pathNames, type Route, route } from '../route.js'
import { answerOf } from './answer.js'
import { createInputReader, type InputReader } from './input.js'
import { parseQuery } from './query.js'
import type { Validators } from './validation.js'

const maxOperations = 100

const Name = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
  patternMessage: 'must start with a letter and have at most 64 letters, digits, - and _',
})

const BatchedOperation = Type.Object(
  {
    method: Type.Enum(['POST', 'PUT', 'PATCH', 'DELETE']),
    path: Type.String({ minLength: 1, maxLength: 4_096, examples: ['/v1/tasks'] }),
    body: Type.Optional(Type.Unknown()),
    headers: Type.Optional(
      Type.Object(
        {
          'If-Match': Type.Optional(Type.String()),
          'If-None-Match': Type.Optional(Type.String()),
          'Worklore-Claim': Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
    ),
    as: Type.Optional(Name),
  },
  { additionalProperties: false },
)

interface BatchedRoute {
  route: Route
  pattern: RegExp
  names: string[]
  readInput: InputReader
}

/** One operation of a batch, read and checked. */
interface Step {
  index: number
  route: Route
  input: Record<string, unknown>
  claim: string | undefined
  as: string | undefined
}

type Sent = {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  as?: string
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)').replace('*', '(.+)')}$`)

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid({ path: 'path', message: 'is not valid percent-encoded UTF-8 text' })
  }
}

/** All after the first question mark is the query, further ones included. */
const partsOf = ({ path }: Sent): { path: string; query: string } => {
  const [before = '', ...query] = path.split('?')
  return { path: before, query: query.join('?') }
}

/** An error of one operation, which is the answer of the whole batch. */
const at = (index: number, error: unknown): unknown =>
  error instanceof AppError ? error.with({ index: error.params.index ?? index }) : error

/** The first operation that is named in the details of an error of the batch itself. */
const indexNamed = (details: readonly ErrorDetail[]): { index?: number } => {
  const named = details.flatMap(({ path }) => /^operations\.(\d+)/.exec(path)?.[1] ?? []).map(Number)
  return named.length === 0 ? {} : { index: Math.min(...named) }
}

const unknownPath = ({ method, path }: Sent): AppError =>
  invalid({
    path: 'path',
    message: `${method} ${path} cannot be part of a batch; only writes to tasks, comments, questions and knowledge can`,
  })

const isReference = (value: unknown): value is string => typeof value === 'string' && value.startsWith('@')

const blockersIn = (input: Record<string, unknown>): unknown[] =>
  ['task', 'patch'].flatMap((part) => (input[part] as { blockedBy?: unknown[] } | undefined)?.blockedBy ?? [])

/** The places where the name of an earlier result stands for its id, each with that name. */
const referencesIn = (input: Record<string, unknown>): [place: string, name: string][] => {
  const found: [string, string][] = []
  const note = (place: string, value: unknown): void => void (isReference(value) && found.push([place, value]))
  for (const name of ['taskId', 'commentId', 'questionId']) note(name, input[name])
  for (const part of ['task', 'patch']) {
    const fields = input[part] as { blockedBy?: unknown[]; parentId?: unknown } | undefined
    note('parentId', fields?.parentId)
    for (const [at, value] of (fields?.blockedBy ?? []).entries()) note(`blockedBy.${at}`, value)
  }
  return found
}

const resolved = (input: Record<string, unknown>, ids: ReadonlyMap<string, string>): Record<string, unknown> => {
  const idOf = <T>(value: T): T | string => (isReference(value) ? (ids.get(value) ?? value) : value)
  const result = { ...input }
  for (const name of ['taskId', 'commentId', 'questionId']) if (name in result) result[name] = idOf(result[name])
  for (const part of ['task', 'patch']) {
    const fields = result[part] as { blockedBy?: string[]; parentId?: string | null } | undefined
    if (!fields) continue
    result[part] = {
      ...fields,
      ...(fields.parentId !== undefined && { parentId: idOf(fields.parentId) }),
      ...(fields.blockedBy && { blockedBy: fields.blockedBy.map(idOf) }),
    }
  }
  return result
}

/** Several writes as one: all happen, in their order, in one transaction, or none does. */
const createBatch = (routes: readonly Route[], validators: Validators) => {
  const batched: BatchedRoute[] = routes
    .filter(({ operation }) => operation.isBatchable)
    .map((route) => ({
      route,
      pattern: patternOf(route.path),
      names: pathNames(route.path),
      readInput: createInputReader(route, validators),
    }))

  const routeOf = (sent: Sent): BatchedRoute | undefined => {
    const { path } = partsOf(sent)
    return batched.find(({ route: { method }, pattern }) => method === sent.method && pattern.test(path))
  }

  const read = (sent: Sent, index: number): Step => {
    const found = routeOf(sent)
    if (!found) throw unknownPath(sent)
    const { route: target, pattern, names, readInput } = found
    const { path, query } = partsOf(sent)
    const match = pattern.exec(path)!
    const params = Object.fromEntries(names.map((name, at) => [name, decoded(match[at + 1]!)]))
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(sent.headers ?? {})) headers[name.toLowerCase()] = value
    const input = readInput({ params, query: parseQuery(query), body: sent.body, headers })
    return { index, route: target, input, claim: headers['worklore-claim'], as: sent.as }
  }

  const limitOf = (sent: Sent): EndpointLimit | undefined => routeOf(sent)?.route.operation.limit

  const readAll = ({ actor }: OperationCall, operations: readonly Sent[]): Step[] => {
    const steps: Step[] = []
    const names = new Set<string>()
    for (const [index, sent] of operations.entries()) {
      try {
        const step = read(sent, index)
        for (const [path, name] of referencesIn(step.input)) {
          if (!names.has(name)) throw invalid({ path, message: `${name} does not refer to an earlier operation` })
        }
        requireScope(actor, step.route.operation.scope)
        if (step.as !== undefined && names.has(`@${step.as}`)) {
          throw invalid({ path: 'as', message: 'is already used by an earlier operation' })
        }
        if (step.as !== undefined) names.add(`@${step.as}`)
        steps.push(step)
      } catch (error) {
        throw at(index, error)
      }
    }
    return steps
  }

  const run = (call: OperationCall, steps: readonly Step[]): Promise<Result> =>
    runTogether(call, async (inside) => {
      // Refused before it is begun, not when most of it is done.
      inside.work?.expect(
        'blocker',
        steps.reduce((sum, { input }) => sum + blockersIn(input).length, 0),
      )
      const ids = new Map<string, string>()
      const answers: string[] = []
      for (const { index, route: target, input: read, claim, as } of steps) {
        const input = resolved(read, ids)
        try {
          const result = await runWithin(inside, target.operation, input, claim)
          const { status, body } = answerOf(target, input, result)
          const { commentId, questionId, taskId } = input
          if (as !== undefined) ids.set(`@${as}`, result.id ?? String(commentId ?? questionId ?? taskId ?? ''))
          answers.push(`{"status":${status},"body":${body}}`)
        } catch (error) {
          throw at(index, error)
        }
      }
      return { data: `[${answers.join(',')}]` }
    })

  return operation({
    name: 'runBatch',
    summary: 'Run several writes in one transaction: all or none',
    subject: 'Batch',
    kind: 'write',
    isComposite: true,
    prepare: (call, { batch }) => call.countOperations((batch.operations as Sent[]).map(limitOf)),
    input: Type.Object({
      batch: Type.Object(
        { operations: Type.Array(BatchedOperation, { minItems: 1, maxItems: maxOperations }) },
        {
          additionalProperties: false,
          $id: 'Batch',
          examples: [
            {
              operations: [
                { method: 'POST', path: '/v1/tasks', body: { projectId: 'ACME', title: 'Design' }, as: 'design' },
                {
                  method: 'POST',
                  path: '/v1/tasks',
                  body: { projectId: 'ACME', title: 'Build', blockedBy: ['@design'] },
                },
              ],
            },
          ],
        },
      ),
    }),
    output: dataOf(
      Type.Array(Type.Object({ status: Type.Integer(), body: Type.Object({}, { additionalProperties: true }) }), {
        description: 'The response of each operation, in order.',
      }),
    ),
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'IDEMPOTENCY_MISMATCH'],
    paramsOf: indexNamed,
    run: async (call, { batch }) => run(call, readAll(call, batch.operations as Sent[])),
  }) as unknown as Operation
}

/** The routes and one more that makes several of their writes as one. */
export const withBatch = (routes: readonly Route[], validators: Validators): readonly Route[] => [
  ...routes,
  route('POST /v1/batch', createBatch(routes, validators), { body: 'batch' as never }),
]
