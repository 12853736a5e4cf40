import { send, testAdminKey } from 'worklore-testing/harness'
import type { PostgresServer } from 'worklore-testing/postgres-server'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import type { StoreSettings } from '../../src/db/open.js'
import { openDb } from '../../src/db/open.js'
import { createAudit } from './audit.js'
import { createLedger } from './ledger.js'
import { auditSearch } from './search-audit.js'
import { createWriters, faultsProject } from './writers.js'

interface CrashPlan {
  store: StoreSettings
  /** The server to be killed in turn with the nodes. */
  postgres?: PostgresServer
  nodes: number
  rounds: number
  writers: number
  /** Acknowledged writes before each kill, at least. */
  writesPerRound: number
  report?: (line: string) => void
}

export interface CrashFigures {
  kills: number
  postgresKills: number
  acknowledged: number
  unanswered: number
  events: number
  /** From the kill to the first write acknowledged again. */
  recoveryMs: number[]
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Kills what serves under concurrent writes, again and again over one store, and audits it each time. */
export const runCrashRounds = async (plan: CrashPlan): Promise<CrashFigures> => {
  const { store, postgres, report = () => {} } = plan
  const ledger = createLedger()
  const audit = createAudit(ledger)
  const nodes: RealProcess[] = []
  for (let at = 0; at < plan.nodes; at++) nodes.push(await startProcess(store))
  const writers = createWriters(ledger, () => nodes.map(({ baseUrl }) => baseUrl))
  const figures: CrashFigures = {
    kills: 0,
    postgresKills: 0,
    acknowledged: 0,
    unanswered: 0,
    events: 0,
    recoveryMs: [],
  }
  const db = await openDb({ ...store, poolSize: 2 })
  await send(nodes[0]!.baseUrl, 'POST', '/v1/projects', {
    key: testAdminKey,
    body: { key: faultsProject, name: 'Under faults' },
  })

  const killNodes = async (victims: readonly number[]): Promise<void> => {
    await Promise.all(victims.map((at) => nodes[at]!.end('SIGKILL')))
    figures.kills += victims.length
    await Promise.all(
      victims.map(async (at) => {
        nodes[at] = await startProcess(store)
      }),
    )
  }

  const killPostgres = async (server: PostgresServer): Promise<void> => {
    await server.kill()
    figures.kills++
    figures.postgresKills++
    await server.start()
  }

  const kill = (round: number): Promise<void> => {
    if (postgres && round % 3 === 2) return killPostgres(postgres)
    return killNodes(nodes.length > 1 && round % 3 === 1 ? [round % nodes.length] : [...nodes.keys()])
  }

  const writeAgain = async (): Promise<void> => {
    const before = ledger.acknowledgedWrites
    for (const endMs = performance.now() + 120_000; ledger.acknowledgedWrites === before; await pause(20)) {
      if (performance.now() > endMs) throw new Error('no write was acknowledged within two minutes of the kill')
    }
  }

  let isOver = false
  try {
    for (let round = 0; round < plan.rounds; round++) {
      isOver = false
      const target = ledger.acknowledgedWrites + plan.writesPerRound
      const running = writers.run(plan.writers, () => isOver)
      while (ledger.acknowledgedWrites < target) await Promise.race([pause(5), running])
      await pause(Math.random() * 50)
      const killedAt = performance.now()
      await kill(round)
      await writeAgain()
      figures.recoveryMs.push(performance.now() - killedAt)
      isOver = true
      await running
      await writers.createAgain(30)
      const { events } = await audit(db)
      await auditSearch(nodes[round % nodes.length]!.baseUrl, ledger)
      Object.assign(figures, {
        acknowledged: ledger.acknowledgedWrites,
        unanswered: ledger.unansweredWrites,
        events,
      })
      report(
        `round ${round + 1}: ${figures.kills} kills, ${figures.acknowledged} acknowledged, ${figures.unanswered} unanswered, 0 lost`,
      )
    }
  } catch (error) {
    throw new Error(`the nodes said:\n${nodes.map((node) => node.output()).join('\n')}`, { cause: error })
  } finally {
    isOver = true
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    await db.close()
  }
  return figures
}
