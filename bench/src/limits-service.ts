import type { AddressInfo } from 'node:net'
import { createService } from '../../packages/server/dist/src/app.js'
import { readConfig } from '../../packages/server/dist/src/config.js'
import { createLogger } from '../../packages/server/dist/src/observability/logger.js'
import { listTenants } from '../../packages/server/dist/src/tenancy/tenants/service.js'

/** The service in a process of its own, whose limiter, if asked so, decides once and repeats itself ever after. */
const service = await createService({ ...readConfig(process.env) }, createLogger('warn'))
if (process.argv[2] === 'without') {
  const { limiter } = service.core
  const [tenant] = await listTenants(service.core.db)
  const decided = await limiter.take(tenant!.id, service.core.plans.get('self-hosted')!)
  limiter.take = () => decided
}
await service.app.listen({ host: '127.0.0.1', port: 0 })
process.send?.((service.app.server.address() as AddressInfo).port)
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)))
