#!/usr/bin/env node
import { existsSync } from 'node:fs'

const program = new URL('../dist/src/cli/main.js', import.meta.url)
if (!existsSync(program)) {
  console.error('worklore is not built yet: run "npm run build" first')
  process.exit(1)
}
await import(program.href)
