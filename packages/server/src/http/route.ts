import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { Operation, OperationCall } from '../operations/operation.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Answers by itself, for an answer that is no JSON document. */
export type Handler = (request: FastifyRequest, reply: FastifyReply, call: OperationCall, input: unknown) => unknown

/**
 * How HTTP reaches an operation. The names in the path, the body and the headers are taken from the operation's input;
 * what is left of it is the query.
 */
export interface Route {
  readonly method: Method
  /** As Fastify writes it; `*` is a key with its slashes. */
  readonly path: string
  readonly operation: Operation
  /** The part of the input that is the body. */
  readonly body?: string
  /** Of a successful answer. With several, 201 is for what was created. */
  readonly statuses: readonly number[]
  /** Where to find a new record: a path with the names of the input and the record's `:id`. */
  readonly location?: string
  readonly mediaType?: string
  readonly handler?: Handler
}

interface RouteOptions<Input extends TObject> {
  body?: keyof Input['properties'] & string
  status?: number | readonly number[]
  location?: string
  mediaType?: string
  handler?: Handler
}

/** `address` is a method and a path: `GET /v1/tasks/:taskId`. */
export const route = <Input extends TObject>(
  address: `${Method} ${string}`,
  // biome-ignore lint/suspicious/noExplicitAny: the output has no part in the binding
  operation: Operation<Input, any, any>,
  { status = 200, ...options }: RouteOptions<Input> = {},
): Route => {
  const [method, path] = address.split(' ') as [Method, string]
  return { method, path, operation: operation as unknown as Operation, statuses: [status].flat(), ...options }
}

export const pathNames = (path: string): string[] => [...path.matchAll(/:(\w+)|\*/g)].map(([, name = 'key']) => name)
