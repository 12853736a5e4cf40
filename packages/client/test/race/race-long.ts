import { createCitusDatabase, findCitusBuild, startCluster } from 'worklore-testing/citus'
import { engines } from 'worklore-testing/engines'
import { startPostgres } from 'worklore-testing/postgres-server'
import { runRace } from './race.js'
import { minLeaseSeconds, type RaceSettings } from './settings.js'

/** The long form of the race: `npm run race [tasks] [disturbances] [engine] [resources] [leaseSeconds] [agents]`; `citus` needs the build that CITUS names. */
const processes = 8
const [tasks = '5000', disturbances = '60', only, resources, leaseSeconds, agents = '104'] = process.argv.slice(2)
const long: Omit<RaceSettings, 'nodes'> = {
  door: 'http',
  processes,
  agentsPerProcess: Math.ceil(Number(agents) / processes),
  tasks: Number(tasks),
  hasResources: resources === 'resources',
  workMs: 500,
  leaseSeconds: Number(leaseSeconds ?? minLeaseSeconds),
  disturbEveryMs: 3_000,
  disturbances: Number(disturbances),
}

const print = (engine: string, figures: object): void => console.log(JSON.stringify({ engine, ...figures }))

const store = await engines[0]!.createStore()
try {
  if (only === undefined || only === 'sqlite') {
    print('sqlite', await runRace(store, { ...long, nodes: 1 }, console.log))
  }
  if (only === 'citus') {
    const cluster = await startCluster(findCitusBuild()!, true)
    try {
      await createCitusDatabase('race', cluster.urls)
      const databaseUrl = cluster.url.replace(/[^/]*$/, 'race')
      const onCitus = { dataDir: store.dataDir, databaseUrl, poolSize: 10 }
      print('citus', await runRace(onCitus, { ...long, nodes: 3 }, console.log))
    } finally {
      await cluster.stop()
    }
  }
  if (only === undefined || only === 'postgres') {
    const postgres = await startPostgres()
    try {
      const onPostgres = { dataDir: store.dataDir, databaseUrl: postgres.url, poolSize: 10 }
      print('postgres', await runRace(onPostgres, { ...long, nodes: 3 }, console.log))
    } finally {
      await postgres.stop()
    }
  }
} finally {
  await store.remove()
}
