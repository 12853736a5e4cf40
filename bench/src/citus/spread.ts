import postgres from 'postgres'
import { addCitus, createDatabases, findCitusBuild, startCluster } from '../../../packages/testing/dist/src/citus.js'
import { engines } from '../../../packages/testing/dist/src/engines.js'
import { send } from '../../../packages/testing/dist/src/harness.js'
import { runCommand } from '../../../packages/testing/dist/src/program.js'
import { startProcess } from '../../../packages/testing/dist/src/real-process.js'

const tenants = 10
const clientsPerTenant = 4

interface Spread {
  created: number
  failed: number
  tenantsByWorker: number[]
}

/** Lets clients of several tenants create tasks through one node, on a cluster with so many workers. */
export const spread = async (workers: number, seconds: number): Promise<Spread> => {
  const build = findCitusBuild()
  if (!build) throw new Error('Set CITUS to a folder with a build of PostgreSQL and Citus.')
  const cluster = await startCluster(build, true)
  const folder = await engines[0]!.createStore()
  try {
    const urls = cluster.urls.slice(0, 1 + workers)
    await createDatabases('spread', urls)
    await addCitus('spread', urls)
    const databaseUrl = cluster.url.replace(/[^/]*$/, 'spread')
    const store = { dataDir: folder.dataDir, databaseUrl, poolSize: 10 }
    const node = await startProcess(store)
    try {
      const keys = await Promise.all(
        Array.from({ length: tenants }, async (_, at) => {
          const { key } = JSON.parse(
            await runCommand(store, 'tenants', 'create', `Tenant ${at}`, '--plan', 'self-hosted'),
          )
          const body = { key: 'LOAD', name: 'Load' }
          await send(node.baseUrl, 'POST', '/v1/projects', { key: key.key, body })
          return key.key as string
        }),
      )
      const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
      const rows = await sql`select nodeport, count(*)::int as count from tenants t join citus_shards s
        on s.shardid = get_shard_id_for_distribution_column('tenants', t.tenant_id)
        where t.name like 'Tenant %' group by nodeport`
      await sql.end()
      let [created, failed] = [0, 0]
      const untilMs = performance.now() + seconds * 1_000
      const client = async (key: string): Promise<void> => {
        while (performance.now() < untilMs) {
          const body = { projectId: 'LOAD', title: 'One of many' }
          const { status } = await send(node.baseUrl, 'POST', '/v1/tasks', { key, body })
          if (status === 201) created++
          else failed++
        }
      }
      await Promise.all(keys.flatMap((key) => Array.from({ length: clientsPerTenant }, () => client(key))))
      return { created, failed, tenantsByWorker: rows.map(({ count }) => count as number) }
    } finally {
      await node.end('SIGTERM')
    }
  } finally {
    await cluster.stop()
    await folder.remove()
  }
}
