import { Type } from 'typebox'
import { isMigrated } from '../db/migrate.js'
import { AppError, unavailable } from '../errors.js'
import { sendJson } from './answers.js'
import type { Routes } from './routes.js'

const tags = ['Operation']
const Status = Type.Object({ status: Type.String({ examples: ['ok'] }) })

/** For whoever runs the service: no key, not counted. */
export const operationRoutes: Routes = (app, { db, config, metrics }) => {
  app.get(
    '/healthz',
    { schema: { operationId: 'getHealth', summary: 'Whether the process is alive', tags, answers: { 200: Status } } },
    (_request, reply) => sendJson(reply, '{"status":"ok"}'),
  )

  app.get(
    '/readyz',
    {
      config: { errors: ['SERVICE_UNAVAILABLE'] },
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether the store answers and its schema is up to date',
        tags,
        answers: { 200: Status },
      },
    },
    async (_request, reply) => {
      await db.ping()
      if (!(await isMigrated(db))) throw unavailable('The schema of the store is not up to date yet.', 2)
      return sendJson(reply, '{"status":"ready"}')
    },
  )

  app.get(
    '/metrics',
    {
      config: { errors: ['UNAUTHORIZED'] },
      schema: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus',
        tags,
        mediaType: 'text/plain',
        answers: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      if (config.metricsToken !== undefined && request.headers.authorization !== `Bearer ${config.metricsToken}`) {
        throw new AppError('UNAUTHORIZED', 'Send METRICS_TOKEN as a bearer token.', { reason: 'invalid' })
      }
      return reply.header('content-type', metrics.contentType).send(await metrics.text())
    },
  )
}
