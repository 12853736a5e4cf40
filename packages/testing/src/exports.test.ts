import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const knip = join(root, 'node_modules/knip/bin/knip.js')

it('knip finds no unused file and no unused export', () => {
  assert.ok(existsSync(knip), 'Error: knip is not installed. Run npm ci.')
  const { status, stdout, stderr } = spawnSync(process.execPath, [knip, '--no-progress'], {
    cwd: root,
    encoding: 'utf8',
  })
  assert.equal(status, 0, `Error: ${stdout}${stderr}`)
})
