import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach } from 'node:test'
import { noteEnding } from './running-tests.js'

// Each test process keeps, beside the file that it runs, which test has begun last.
const note = `${process.argv[1]}${noteEnding}`
let running = ''
const write = (name: string): void => {
  running = name
  writeFileSync(note, name)
}

write('')
beforeEach((context) => write('fullName' in context ? context.fullName : context.name))
process.once('exit', () => rmSync(note, { force: true }))

// Without its hook, the test runner does not know whose error it is, and the test might wait for ever.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    console.error(`${event} while this test ran: ${running}\n`, error)
    process.exit(1)
  })
}
