import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../base/error-reasons.js'
import { unavailable } from '../base/errors.js'
import { isMigrated } from '../db/migrate.js'
import type { Core } from '../operations/core.js'
import { sendJson } from './api/answer.js'
import { requireMetricsAccess } from './protection/metrics-access.js'

/** Throws where new requests should go to another node. */
export const expectReady = async ({ db, draining }: Pick<Core, 'db' | 'draining'>): Promise<void> => {
  if (draining.aborted) throw unavailable('This node is stopping. Use another one.', 5)
  await db.ping()
  if (!(await isMigrated(db))) throw unavailable('Database schema is not up to date.', 2)
}

/** A read for whoever runs the service: no key, not counted. */
export interface OperatorRoute {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly output: TSchema
  readonly mediaType?: string
  readonly errors?: readonly ErrorCode[]
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => unknown
}

const Status = Type.Object({ status: Type.String({ examples: ['ok'] }) })

export const createOperatorRoutes = ({ db, config, metrics, draining }: Core): readonly OperatorRoute[] => [
  {
    path: '/healthz',
    name: 'getHealth',
    summary: 'Liveness: whether the process is running',
    output: Status,
    handler: (_request, reply) => sendJson(reply, '{"status":"ok"}'),
  },
  {
    path: '/readyz',
    name: 'getReadiness',
    summary: 'Readiness: whether the database is reachable, its schema up to date, and the service not about to stop',
    output: Status,
    errors: ['SERVICE_UNAVAILABLE'],
    handler: async (_request, reply) => {
      await expectReady({ db, draining })
      return sendJson(reply, '{"status":"ready"}')
    },
  },
  {
    path: '/metrics',
    name: 'getMetrics',
    summary: 'Metrics for Prometheus',
    output: Type.String(),
    mediaType: 'text/plain',
    errors: ['UNAUTHORIZED'],
    handler: async (request, reply) => {
      requireMetricsAccess(config, request.headers.authorization)
      return reply.header('content-type', metrics.contentType).send(await metrics.text())
    },
  },
]
