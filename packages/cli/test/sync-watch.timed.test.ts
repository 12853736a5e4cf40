import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { it, type TestContext } from 'node:test'
import { quietBoundMs } from 'worklore-testing/long-run'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { type SyncStage, syncStage } from './sync-stage.js'

/** A watching sync that has come to rest once. */
const startWatching = async (test: TestContext, { user }: SyncStage) => {
  const { child, ended } = user.start(['sync', 'vault', '--tenant', '--watch', '--json'])
  test.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let output = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  const says = async (part: string): Promise<void> => {
    const seen = await until(
      async () => output,
      (text) => text.includes(part),
    )
    assert.ok(seen.includes(part), seen)
  }
  await says('"summary"')
  return { child, ended, says }
}

const maxMs = quietBoundMs(1_000)

describeClient('wl sync --watch', (service) => {
  /** Waits for a condition; fails where that takes too long. */
  const soon = async (what: string, isTrue: () => Promise<boolean>): Promise<void> => {
    const startedAtMs = performance.now()
    assert.ok(await until(isTrue, (answer) => answer), what)
    const ms = performance.now() - startedAtMs
    assert.ok(ms < maxMs, `${what} took ${Math.round(ms)} ms`)
  }

  it('takes changes of either side to the other as they come', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    const { child, ended } = await startWatching(test, stage)
    const there = async (key: string): Promise<string | undefined> => (await stage.notes())[`${key}.md`]
    const here = async (path: string): Promise<string | undefined> => stage.files()[path]

    stage.write('a.md', 'edited here')
    await soon('an edit here', async () => (await there('a')) === 'edited here')
    await stage.wl.knowledge.put('a', { content: 'edited there' })
    await soon('an edit there', async () => (await here('a.md')) === 'edited there')
    // A file in folders that are as new as itself.
    stage.write('new/folders/b.md', 'b')
    await soon('a file in a new folder', async () => (await there('new/folders/b')) === 'b')
    await stage.wl.knowledge.put('other/folders/c', { content: 'c' })
    await soon('a note in a new folder', async () => (await here('other/folders/c.md')) === 'c')
    stage.write('other/folders/d.md', 'd')
    await soon('a file in the folder of a note', async () => (await there('other/folders/d')) === 'd')
    mkdirSync(stage.at('moved'))
    renameSync(stage.at('new/folders'), stage.at('moved/folders'))
    await soon('a renamed folder', async () => (await there('moved/folders/b')) === 'b')
    await stage.wl.knowledge.move({ from: 'moved/folders/b', to: 'b' })
    await soon('a moved note', async () => (await here('b.md')) === 'b')
    stage.remove('b.md')
    await soon('a deletion here', async () => (await there('b')) === undefined)
    await stage.wl.knowledge.delete('a')
    await soon('a deletion there', async () => (await here('a.md')) === undefined)

    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    assert.ok(!readdirSync(stage.at('.worklore')).includes('sync.lock'))
    assert.deepEqual((await stage.run()).actions, [])
    assert.deepEqual(await stage.notes(), stage.files())
  })

  it('makes a conflict of edits on both sides, and goes on', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    await stage.run()
    stage.write('a.md', 'here')
    await stage.wl.knowledge.put('a', { content: 'there' })
    const { says } = await startWatching(test, stage)
    await says('"action":"conflict"')
    stage.write('b.md', 'b')
    await says('"path":"b.md"')
    assert.deepEqual(stage.files(), { 'a.conflict.md': 'here', 'a.md': 'there', 'b.md': 'b' })
  })
})
