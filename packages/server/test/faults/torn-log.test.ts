import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createTask, putItem } from 'worklore-testing/factories'
import { startService } from 'worklore-testing/harness'
import { openDb, sqlitePath } from '../../src/db/open.js'

/** The state of a copy of the store whose write-ahead log was damaged: how many changes it has, if it is whole. */
const stateAfter = async (source: string, damage: (log: string) => void): Promise<number> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'worklore-torn-'))
  const path = sqlitePath({ dataDir, databaseUrl: undefined, poolSize: 1 })
  copyFileSync(source, path)
  copyFileSync(`${source}-wal`, `${path}-wal`)
  damage(`${path}-wal`)
  const db = await openDb({ dataDir, databaseUrl: undefined, poolSize: 1 })
  try {
    const [soundness] = await db.all<{ integrity_check: string }>('pragma integrity_check')
    assert.equal(soundness?.integrity_check, 'ok')
    const hasSchema = await db.get("select 1 as found from sqlite_master where name = 'events'")
    if (!hasSchema) return 0
    const tenant = await db.get<{ last_sequence: number }>('select last_sequence from tenants limit 1')
    const count = async (from: string) =>
      (await db.get<{ count: number }>(`select count(*) as count from ${from}`))!.count
    const changes = tenant?.last_sequence ?? 0
    assert.equal(await count('events'), changes, 'the log of changes is whole')
    assert.equal(await count('tasks'), await count("events where type = 'task.created'"))
    assert.equal(await count('knowledge'), await count("events where type = 'knowledge.created'"))
    return changes
  } finally {
    await db.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

it('a torn or damaged write-ahead log opens to a committed state', async () => {
  const wl = await startService(engines[0]!)
  await wl.post('/v1/projects', { key: 'ACME', name: 'Acme' })
  for (let at = 0; at < 30; at++) {
    await createTask(wl, 'ACME', { description: 'x'.repeat(at * 100) })
    await putItem(wl, `note/${at}`, 'y'.repeat(at * 300))
  }
  const source = sqlitePath(wl.store)
  const length = statSync(`${source}-wal`).size
  assert.ok(length > 100_000)

  const whole = await stateAfter(source, () => {})
  assert.ok(whole >= 61)
  let last = 0
  for (let step = 0; step <= 24; step++) {
    const size = Math.floor((length * step) / 24) - (step % 3)
    const state = await stateAfter(source, (log) => truncateSync(log, Math.max(0, size)))
    assert.ok(state >= last && state <= whole, `${state} changes after ${last}`)
    last = state
  }
  for (let step = 1; step <= 12; step++) {
    const state = await stateAfter(source, (log) => {
      const bytes = readFileSync(log)
      const at = Math.floor((length * step) / 13)
      bytes.fill(0xa5, at, at + 700)
      writeFileSync(log, bytes)
    })
    assert.ok(state <= whole)
  }
  await wl.stop()
})
