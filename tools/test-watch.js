// Runs the test files whose path contains one of the given words, again after each source change: npm run test:watch -- WORD
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = join(root, 'packages')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const words = process.argv.slice(2)
if (words.length === 0) {
  console.error('Name the tests to run by a word of their path, such as: npm run test:watch -- contract/tasks')
  process.exit(1)
}

/** Waits this long after a change, because editors write a file in several steps. */
const settleMs = 100

let running
let isChanged = true

const runOnce = async () => {
  isChanged = false
  if (spawnSync(process.execPath, [compiler, '-b'], { cwd: root, stdio: 'inherit' }).status !== 0) return
  running = spawn(process.execPath, ['packages/testing/dist/src/run.js', ...words], { cwd: root, stdio: 'inherit' })
  await new Promise((done) => running.once('exit', done))
  running = undefined
}

let timer
const onChange = (_event, file) => {
  if (!/\.(?:tsx?|json|css)$/.test(file ?? '')) return
  clearTimeout(timer)
  timer = setTimeout(() => {
    isChanged = true
    // Its results would be out of date.
    running?.kill('SIGTERM')
  }, settleMs)
}
for (const name of readdirSync(packages)) {
  for (const folder of ['src', 'test', 'tools']) {
    if (readdirSync(join(packages, name)).includes(folder)) {
      watch(join(packages, name, folder), { recursive: true }, onChange)
    }
  }
}

for (;;) {
  if (isChanged) {
    await runOnce()
    if (!isChanged) console.log('Waiting for a change of a source.')
  }
  await new Promise((done) => setTimeout(done, settleMs))
}
