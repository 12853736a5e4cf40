import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { watchNode } from './watched-figures.js'

it('gives the due work of one look at the store in each reading', async () => {
  const registry = new Registry()
  let looks = 0
  watchNode(registry, {
    isReady: async () => true,
    isDraining: () => false,
    dueWork: async () => {
      const tenants = ++looks
      await pause(5)
      return [{ kind: 'tasks', tenants, oldestAgeMs: tenants * 1_000 }]
    },
  })
  for (const look of [1, 2]) {
    const text = await registry.metrics()
    assert.match(text, new RegExp(`^worklore_due_work_tenants{kind="tasks"} ${look}$`, 'm'))
    assert.match(text, new RegExp(`^worklore_due_work_oldest_age_seconds{kind="tasks"} ${look}$`, 'm'))
  }
})
