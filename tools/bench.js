// `npm run bench [NAME]` builds everything and runs a benchmark, which gets the arguments after its name.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const benchmarks = {
  blocking: 'bench/dist/blocking/main.js',
  load: 'bench/dist/main.js',
  citus: 'bench/dist/citus/main.js',
  compare: 'bench/dist/compare.js',
  console: 'packages/console/dist/tools/bench.js',
  context: 'bench/dist/context/main.js',
  github: 'packages/github/dist/test/bench.js',
  limits: 'bench/dist/limits.js',
  plain: 'bench/dist/plain/main.js',
  search: 'bench/dist/search/main.js',
  'search-scale': 'bench/dist/search/scale.js',
  services: 'bench/dist/services/main.js',
}

const [first, ...others] = process.argv.slice(2)
const [name, words] = first === undefined || first.startsWith('-') ? ['load', process.argv.slice(2)] : [first, others]
if (!Object.hasOwn(benchmarks, name)) {
  console.error(`Unknown benchmark "${name}". Use one of ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
const run = (program, args) => {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
run('npm', ['run', '--silent', 'build'])
run(process.execPath, [benchmarks[name], ...words])
