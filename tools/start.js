// What `npm start` runs: one process, since each costs a tenth of a second to start.
import { fileURLToPath } from 'node:url'
import './build-before-start.js'

const program = new URL('../packages/server/bin/worklore.js', import.meta.url)
// Where there are several processes, each is started as this one was; none of them is to build.
process.argv[1] = fileURLToPath(program)
await import(program.href)
