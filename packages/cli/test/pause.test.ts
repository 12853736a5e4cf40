import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createKey, createProject, createTask } from 'worklore-testing/factories'
import { createTestTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('wl pause', (service) => {
  it('pauses a key, a project or everything, which next and claim tell, until it is resumed', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'STOP' })
    await createTask(service, 'STOP')
    const agent = await createKey(service, { name: 'agent-3', scopes: ['tasks:write'] })
    const asAgent = { env: { WORKLORE_KEY: agent.key } }
    const expectPaused = async (name: string, reason: string) => {
      for (const words of [
        ['next', '--claim', '-p', 'STOP'],
        ['next', '--claim', '-p', 'STOP', '--wait', '5m'],
        ['claim', 'STOP-1'],
      ]) {
        const { code, stderr } = await user.run(words, asAgent)
        const advice = 'finish what you hold and ask again later'
        assert.deepEqual([code, stderr], [5, `wl: ${name} is paused by "admin": ${advice} (reason: "${reason}").\n`])
      }
    }
    assert.equal(await user.wl('pause', 'key', 'agent-3', '-m', 'It loops'), `${agent.id}\n`)
    await expectPaused('This key', 'It loops')
    assert.match((await user.run(['whoami'], asAgent)).stdout, /^paused\s+this key, by admin: It loops$/m)
    assert.match(await user.wl('keys'), /\tpaused\tagent-3$/m)
    await user.wl('resume', 'key', agent.id)
    await user.wl('pause', 'project', 'STOP', '--reason', 'Deploy freeze')
    await expectPaused('Project STOP', 'Deploy freeze')
    assert.match(await user.wl('projects'), /^STOP\t.*\tpaused\t/m)
    assert.match(await user.wl('log', '-n', '1'), /\tproject\.updated\t.*\tpaused – → Deploy freeze$/m)

    await user.wl('export', 'all.jsonl')
    const other = await createTestTenant(service)
    await userFor(test, other).wl('import', join(user.folder, 'all.jsonl'))
    assert.equal((await other.get('/v1/projects/STOP')).body.data.paused.reason, 'Deploy freeze')

    await user.wl('pause', 'all', '--reason', 'Everything')
    await expectPaused('Everything', 'Everything')
    assert.match((await user.run(['whoami'], asAgent)).stdout, /^paused\s+everything, by admin: Everything$/m)
    await user.wl('resume', 'all')
    await user.wl('resume', 'project', 'STOP')
    assert.match((await user.run(['claim', 'STOP-1'], asAgent)).stdout, /STOP-1/)
  })

  it('says what is missing, and completes what there is', async (test) => {
    const user = userFor(test, service)
    for (const words of [['all'], ['key', '--reason', 'x'], ['all', 'STOP', '-m', 'x'], ['task', 'STOP-1', '-m', 'x']])
      assert.equal((await user.run(['pause', ...words])).code, 2, words.join(' '))
    assert.equal((await user.run(['pause', 'key', 'nobody', '-m', 'x'])).code, 3)
    assert.equal(await user.wl('__complete', '--', 'pause', ''), 'key\t\nproject\t\nall\t\n')
    // However busy the machine is.
    const env = { WORKLORE_COMPLETION_TIMEOUT: '10m' }
    const { stdout } = await user.run(['__complete', '--', 'pause', 'project', 'ST'], { env })
    assert.match(stdout, /^STOP\t/)
  })
})
