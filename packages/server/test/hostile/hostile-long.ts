import { engines, prepareTemplates } from 'worklore-testing/engines'
import { startPostgres } from 'worklore-testing/postgres-server'
import { expectUnharmed } from './beside.js'
import { loads } from './loads.js'

/** The long form of the hostile loads: `npm run hostile [seconds a load] [engine] [word of a load's name]`. */
const [seconds = '60', only, word = ''] = process.argv.slice(2)

const postgres = await startPostgres()
process.env.WORKLORE_TEST_POSTGRES = postgres.url
const removeTemplates = await prepareTemplates()
try {
  for (const engine of engines.filter(({ name }) => only === undefined || name === only)) {
    for (const load of loads.filter(({ name }) => name.includes(word))) {
      console.log(`${engine.name}: ${load.name}: ${await expectUnharmed(engine, load, Number(seconds) * 1_000, 1)}`)
    }
  }
} finally {
  removeTemplates()
  await postgres.stop()
}
