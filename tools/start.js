// What `npm start` runs: one process, since each costs a tenth of a second to start.
import './build-before-start.js'

await import('../packages/server/bin/worklore.js')
