import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const linter = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')

it('every file is formatted and passes the linter (npm run format)', async () => {
  const problems = await new Promise<string>((resolve) => {
    execFile(process.execPath, [linter, 'check', '.'], { cwd: root }, (error, stdout, stderr) =>
      resolve(error ? `${stdout}${stderr}` : ''),
    )
  })
  assert.equal(problems, '')
})
