import { engines } from '../engines.js'
import { startService } from '../harness.js'
import { startPostgres } from '../postgres-server.js'
import { fuzz } from './fuzz.js'

/** The long form of the fuzz test: `npm run fuzz [calls] [engine] [seed]`; the calls are shared among the engines. */
const [calls = '100000', only, seed] = process.argv.slice(2)
const callsPerSession = 250

const postgres = await startPostgres()
process.env.WORKLORE_TEST_POSTGRES = postgres.url
try {
  const chosen = engines.filter(({ name }) => only === undefined || name === only)
  for (const engine of chosen) {
    const wl = await startService(engine)
    const startedAt = performance.now()
    let told = 0
    const total = await fuzz(wl, {
      sessions: Math.ceil(Number(calls) / chosen.length / callsPerSession),
      callsPerSession,
      seed: seed === undefined ? undefined : Number(seed),
      report: (made) => {
        if (made - told < 5_000) return
        told = made
        console.log(`${engine.name}: ${made} calls`)
      },
    })
    const minutes = Number(((performance.now() - startedAt) / 60_000).toFixed(1))
    console.log(JSON.stringify({ engine: engine.name, calls: total, failures: 0, minutes }))
    await wl.stop()
  }
} finally {
  await postgres.stop()
}
