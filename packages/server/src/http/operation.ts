import { isMigrated } from '../db/migrate.js'
import { AppError, unavailable } from '../errors.js'
import { sendJson } from './answers.js'
import type { Routes } from './server.js'

/** For whoever runs the service: no key, not counted. */
export const operationRoutes: Routes = (app, { db, config, metrics }) => {
  app.get('/healthz', (_request, reply) => sendJson(reply, '{"status":"ok"}'))

  app.get('/readyz', async (_request, reply) => {
    await db.ping()
    if (!(await isMigrated(db))) throw unavailable('The schema of the store is not up to date yet.', 2)
    return sendJson(reply, '{"status":"ready"}')
  })

  app.get('/metrics', async (request, reply) => {
    if (config.metricsToken !== undefined && request.headers.authorization !== `Bearer ${config.metricsToken}`) {
      throw new AppError('UNAUTHORIZED', 'Send METRICS_TOKEN as a bearer token.', { reason: 'invalid' })
    }
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}
