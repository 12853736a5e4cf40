import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import type { TestTenant } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { addTenant } from 'worklore-testing/operator'
import { describeTenant } from 'worklore-testing/service-suite'
import { movesFrom, players, type Stage, setStage } from './undo-play.js'

interface Report {
  undone: { task?: string; comment?: string; knowledge?: string; skipped: { task?: string }[] }[]
  conflicts: { task?: string; comment?: string; knowledge?: string }[]
  nextCursor: string | null
}

/** Undoes all pages; answers what the reports name. */
const undoAll = async (wl: TestTenant, stage: Stage, body: object, requestId: string) => {
  const named = { conflicts: new Set<string>(), skipped: new Set<string>() }
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const request = { ...body, dryRun: false, ...(cursor && { cursor }) }
    const answer = await wl.post('/v1/undo', request, { key: stage.adminKey, headers: { 'x-request-id': requestId } })
    expectStatus(answer, 200)
    const report = answer.body.data as Report
    for (const conflict of report.conflicts) named.conflicts.add(stage.nameOf(conflict))
    for (const { skipped } of report.undone) for (const { task } of skipped) if (task) named.skipped.add(task)
    cursor = report.nextCursor
  }
  return named
}

const seeds = (process.env.UNDO_SEEDS ?? '1,2,3,4,5,6,7').split(',').map(Number)

describeTenant('undo of random changes', (wl, engine) => {
  // The short run tries each seed on only one engine.
  const isHere = (at: number): boolean => inLongRun(engines[at % engines.length] === engine, true)
  for (const seed of seeds.filter((_, at) => isHere(at))) {
    it(`leaves what there would be without the key, conflicts apart, and can be undone (seed ${seed})`, async () => {
      const moves = movesFrom(seed, 70)
      const undone = seed % players
      const stage = await setStage(wl, await addTenant(wl))
      const replay = await setStage(wl, await addTenant(wl))
      /** Records about which a change of another key went otherwise because of the undone one, or changed nothing then. */
      const differing = new Set<string>()
      for (const move of moves) {
        const outcome = await stage.play(move)
        if (move.by === undone) {
          // It may have made room for what others could not do otherwise, which their own moves tell.
          continue
        }
        if ((await replay.play(move)) !== outcome) for (const record of move.about) differing.add(record)
      }
      const before = await stage.records()
      const claimedBefore = await stage.claimed()
      const { conflicts, skipped } = await undoAll(wl, stage, { keyId: stage.keyIds[undone]! }, `undo-${seed}`)
      const after = await stage.records()
      const expected = await replay.records()
      const uncompared = new Set([...conflicts, ...differing, ...skipped])
      for (const { path, about, comment } of moves) {
        // What was left at a key went where another key moved the item, and a comment is gone only with its task.
        const goesAlong = path === '/v1/knowledge/move' || (comment !== undefined && !expected[comment])
        if (goesAlong && uncompared.has(about[0]!)) uncompared.add(about[1]!)
      }
      let compared = 0
      for (const [name, record] of Object.entries(after)) {
        if (uncompared.has(name)) continue
        // A comment is gone with its task, and its task is told of.
        assert.deepEqual(record, expected[name] ?? null, `${name} after undoing player ${undone} of seed ${seed}`)
        compared++
      }
      assert.ok(compared >= 8, `only ${compared} records could be compared`)
      const again = await undoAll(wl, stage, { requestId: `undo-${seed}` }, `redo-${seed}`)
      assert.deepEqual([...again.conflicts], [])
      const restored = await stage.records()
      const claimed = await stage.claimed()
      /** A claim that the undo ended does not come back: the task is handed out again. */
      const handedOut = (name: string) =>
        claimedBefore.has(name) && !claimed.has(name) && { status: 'todo', statusCategory: 'todo' }
      for (const [name, record] of Object.entries(restored)) {
        if (skipped.has(name) || again.skipped.has(name)) continue
        const wanted = before[name] && { ...before[name], ...handedOut(name) }
        assert.deepEqual(record, wanted, `${name} after undoing the undo of seed ${seed}`)
      }
    })
  }
})
