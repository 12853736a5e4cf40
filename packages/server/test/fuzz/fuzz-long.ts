import { engines, prepareTemplates } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'
import { startPostgres } from 'worklore-testing/postgres-server'
import { playWork } from '../work/play.js'
import { fuzz } from './fuzz.js'

/**
 * The long form of the fuzz test and of the random work of many agents: `npm run fuzz [calls] [engine] [seed]`; the calls
 * are shared among the engines, and a tenth as many steps of work are played.
 */
const [calls = '100000', only, seed] = process.argv.slice(2)
const callsPerSession = 250

const postgres = await startPostgres()
process.env.WORKLORE_TEST_POSTGRES = postgres.url
const removeTemplates = await prepareTemplates()
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

    const still = await startService(engine, { isTimeStill: true })
    const outcomes = await playWork(still, {
      sessions: Math.ceil(Number(calls) / 10 / chosen.length / callsPerSession),
      stepsPerSession: callsPerSession,
      seed: seed === undefined ? undefined : Number(seed),
      report: (steps) => console.log(`${engine.name}: ${steps} steps of work`),
    })
    console.log(JSON.stringify({ engine: engine.name, outcomes, failures: 0 }))
    await still.stop()
  }
} finally {
  removeTemplates()
  await postgres.stop()
}
