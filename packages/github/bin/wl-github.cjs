#!/usr/bin/env node
const { version } = require('../package.json')

if (['--version', '-v', 'version'].includes(process.argv[2])) {
  process.stdout.write(`${version}\n`)
} else {
  try {
    require('../dist/bundle/main.cjs').run(process.argv.slice(2))
  } catch (error) {
    const isBuilt = error.code !== 'MODULE_NOT_FOUND' || !/bundle.main\.cjs/.test(error.message)
    process.stderr.write(
      isBuilt ? `wl-github: ${error.stack}\n` : 'wl-github is not built yet: run "npm run build" first\n',
    )
    process.exitCode = 1
  }
}
