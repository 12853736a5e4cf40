import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('../../../..', import.meta.url))

describe('wl in the repository', () => {
  it('is built by what npm start runs first', async (test) => {
    const root = mkdtempSync(join(tmpdir(), 'wl-test-'))
    test.after(() => rmSync(root, { recursive: true, force: true }))
    // All that is built stays as it is, but for the command line.
    for (const name of ['package.json', 'package-lock.json', 'tsconfig.base.json', 'tools'])
      cpSync(join(repository, name), join(root, name), { recursive: true, preserveTimestamps: true })
    mkdirSync(join(root, 'packages'))
    for (const name of ['node_modules', ...['client', 'console', 'search', 'server'].map((each) => `packages/${each}`)])
      symlinkSync(join(repository, name), join(root, name))
    for (const name of ['bin', 'package.json', 'src', 'tools', 'tsconfig.json', 'tsconfig.tools.json'])
      cpSync(join(repository, 'packages/cli', name), join(root, 'packages/cli', name), { recursive: true })
    const wl = join(root, 'packages/cli/bin/wl.cjs')
    const run = promisify(execFile)
    await assert.rejects(run(process.execPath, [wl, '--help']), { stderr: /^wl is not built yet/ })
    await run(process.execPath, [join(root, 'tools/build-before-start.js')])
    assert.match((await run(process.execPath, [wl, '--help'])).stdout, /^wl \d+\.\d+\.\d+: /)
    assert.ok(existsSync(join(repository, 'node_modules/.bin/wl')), 'npx finds no wl')
  })
})
