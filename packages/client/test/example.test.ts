import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onEveryEngine } from './on-every-engine.js'

const program = fileURLToPath(new URL('../examples/first-calls.js', import.meta.url))

const expected = `Tenant default on the plan self-hosted
Created ACME-1: Fix the login redirect
ACME-1 is in_progress at version 2
Someone was faster: it is at version 2 now
Labels: bug, login
Found guides/setup/linux
Open: ACME-1
Event project.created
Event task.created
Event task.updated
Event task.updated
Event knowledge.created
There are requests left in this window
`

const expectedAgain = expected
  .replaceAll('ACME-1', 'ACME-2')
  .replace('Open: ACME-2\n', 'Open: ACME-2\nOpen: ACME-1\n')
  .replace('Event project.created\n', '')
  .replace('Event knowledge.created\n', '')

onEveryEngine('the example', (stage) => {
  const run = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: { ...process.env, WORKLORE_URL: stage.proxy.url, WORKLORE_KEY: stage.service.adminKey },
      timeout: 600_000,
    })
    return stdout
  }

  it('runs as the README shows it', async () => {
    assert.equal(await run(), expected)
  })

  it('runs again', async () => {
    assert.equal(await run(), expectedAgain)
  })
})
