import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { runRace } from './race.js'
import { minLeaseSeconds } from './settings.js'

const sizes = {
  sqlite: { nodes: 1, tasks: inLongRun(80, 300) },
  postgres: { nodes: 2, tasks: inLongRun(50, 100) },
}
const processes = inLongRun(2, 4)
const agentsPerProcess = 6
const tasksByMcp = inLongRun(30, 60)

describe(`${processes * agentsPerProcess} agents in ${processes} processes, with kills and stalls`, () => {
  for (const engine of engines) {
    const { nodes, tasks } = sizes[engine.name]
    it(`do each of ${tasks} tasks once on ${engine.name}`, async (context) => {
      const store = await engine.createPreparedStore()
      try {
        const figures = await runRace(store, {
          door: 'http',
          nodes,
          processes,
          agentsPerProcess,
          tasks,
          hasResources: true,
          workMs: 250,
          leaseSeconds: minLeaseSeconds,
          disturbEveryMs: 1_500,
          disturbances: 4,
        })
        assert.equal(figures.tasks, tasks)
        assert.ok(figures.nodeKills >= 1 && figures.stalls === 1 && figures.expired >= 1, JSON.stringify(figures))
        context.diagnostic(JSON.stringify(figures))
      } finally {
        await store.remove()
      }
    })
  }
})

describe('12 agents in 2 processes by MCP', () => {
  for (const engine of inLongRun(engines.slice(0, 1), engines)) {
    const { nodes } = sizes[engine.name]
    it(`do each of ${tasksByMcp} tasks once on ${engine.name}`, async (context) => {
      const store = await engine.createPreparedStore()
      try {
        const figures = await runRace(store, {
          ...{ door: 'mcp', nodes, tasks: tasksByMcp, hasResources: false, processes: 2, agentsPerProcess: 6 },
          ...{ workMs: 60, leaseSeconds: minLeaseSeconds, disturbEveryMs: 0, disturbances: 0 },
        })
        assert.equal(figures.tasks, tasksByMcp)
        assert.ok(
          figures.claims > tasksByMcp && figures.fencedWrites >= tasksByMcp && figures.nothing > 0,
          JSON.stringify(figures),
        )
        context.diagnostic(JSON.stringify(figures))
      } finally {
        await store.remove()
      }
    })
  }
})
