import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worklore } from 'worklore-client'
import { engines } from 'worklore-testing/engines'
import { testAdminKey } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { startProcess } from 'worklore-testing/real-process'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import { syncStage } from './sync-stage.js'
import { freePort, userFor } from './wl.js'

describeClient('wl sync that is killed', (service) => {
  it('goes on where it was, whenever that happens', async (test) => {
    const stage = await syncStage(test, service)
    const random = randomFrom(41)
    const count = 300
    for (let at = 0; at < count; at++) {
      stage.write(`here/${at}.md`, `here ${at}\r\n`)
      if (at % 3 === 0) await stage.wl.knowledge.put(`there/${at}`, { content: `there ${at}` })
    }
    for (let kills = 0; kills < inLongRun(5, 60); kills++) {
      const { child, ended } = stage.user.start(['sync', 'vault', '--tenant'])
      await Promise.race([sleep(100 + random() * 600), once(child, 'exit')])
      child.kill('SIGKILL')
      await ended
      stage.write(`here/${kills}.md`, `edited after a kill ${kills}`)
      await stage.wl.knowledge.put(`there/${3 * kills}`, { content: `edited there ${kills}` })
    }
    const { code, summary } = await stage.run()
    assert.deepEqual([code, summary.conflict, summary.kept], [0, 0, 0])
    const [notes, files] = [await stage.notes(), stage.files()]
    const wrong = Object.keys({ ...notes, ...files }).filter((path) => notes[path] !== files[path])
    assert.deepEqual(wrong, [])
    assert.equal(summary.notes, count + count / 3)
    assert.deepEqual((await stage.run()).actions, [])
    // Neither temporary files nor a lock are left.
    const names = readdirSync(stage.folder, { recursive: true }) as string[]
    assert.deepEqual(
      names.filter((name) => /wl-sync|lock|journal/.test(name)),
      [],
    )
  })
})

describe('wl sync --watch while the service restarts', () => {
  it('goes on with what changed on both sides', async (test) => {
    const store = await engines[0]!.createStore()
    const environment = { PORT: String(await freePort()) }
    let running = await startProcess(store, environment)
    const user = userFor(test, { baseUrl: running.baseUrl, adminKey: testAdminKey })
    test.after(async () => {
      await running.end('SIGKILL')
      await store.remove()
    })
    const wl = new Worklore({ baseUrl: running.baseUrl, apiKey: testAdminKey })
    const { child, ended } = user.start(['sync', '.', '--watch', '--tenant', '--json'])
    let output = ''
    child.stdout!.on('data', (chunk) => {
      output += chunk
    })
    const says = (part: string): Promise<unknown> =>
      until(
        async () => output,
        (text) => text.includes(part),
      ).then((text) => assert.ok(text.includes(part), text))
    await says('"summary"')
    await running.end('SIGKILL')
    writeFileSync(`${user.folder}/here.md`, 'written while it was away')
    running = await startProcess(store, environment)
    await says('"path":"here.md"')
    await wl.knowledge.put('there', { content: 'written after the restart' })
    await says('"path":"there.md"')
    child.kill('SIGTERM')
    assert.equal((await ended).code, 143)
  })
})
