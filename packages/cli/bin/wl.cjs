#!/usr/bin/env node
// CommonJS, because starting Node's module loader takes longer than telling the version.
const { version } = require('../package.json')

if (['--version', '-v', 'version'].includes(process.argv[2])) {
  process.stdout.write(`${version}\n`)
} else {
  import('../dist/bundle/main.js').catch((error) => {
    const isBuilt = error.code !== 'ERR_MODULE_NOT_FOUND' || !/bundle.main\.js/.test(error.message)
    process.stderr.write(isBuilt ? `wl: ${error.stack}\n` : 'wl is not built yet: run "npm run build" first\n')
    process.exitCode = 1
  })
}
