#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 node --max-semi-space-size=8 --v8-pool-size=1
// To save memory: a young generation of half the usual size, one helper thread of V8 instead of four, two arenas of the C
// library instead of one for each thread, and large blocks that go back to the system as soon as they are freed.
import { existsSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

// V8 takes objects that outlive a busy moment for long-lived ones, and from then on puts those of every request into the
// old generation, which a get pays for with half of its CPU again.
setFlagsFromString('--no-allocation-site-pretenuring')

// With 25 MB live, V8 would let the heap grow to 75 MB and more before it collects; collecting so little is cheap.
setFlagsFromString('--heap-growing-percent=50')

const program = new URL('../dist/main.js', import.meta.url)
if (!existsSync(program)) {
  console.error('worklore is not built yet: run "npm run build" first')
  process.exit(1)
}
await import(program.href)
