import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { describeTenant } from 'worklore-testing/service-suite'

const guide = readFileSync(new URL('../../../../docs/python.md', import.meta.url), 'utf8')
const program = /```python\n([\s\S]*?)```/.exec(guide)![1]!
const printed = /```\n([\s\S]*?)```/.exec(guide.slice(guide.indexOf('It prints')))![1]!
const hasPython = spawnSync('python3', ['--version']).status === 0

describeTenant('the Python guide', (wl) => {
  const run = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)('python3', ['-c', program], {
      env: { PATH: process.env.PATH ?? '', WORKLORE_URL: wl.baseUrl, WORKLORE_KEY: wl.adminKey },
      timeout: 60_000,
    })
    return stdout
  }

  it('prints what it says, and runs again', { skip: hasPython ? false : 'no Python is installed' }, async () => {
    assert.equal(await run(), printed)
    assert.match(await run(), /^Created ACME-2 [\s\S]*\nEvents: task.created, task.updated\n$/)
  })
})
