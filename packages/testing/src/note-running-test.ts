import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach } from 'node:test'
import { keepStatementsOf } from './kept-statements.js'
import { noteEnding } from './running-tests.js'

// Each test process keeps, beside the file that it runs, which test has begun last.
const note = `${process.argv[1]}${noteEnding}`
let running = ''
const write = (name: string): void => {
  running = name
  writeFileSync(note, name)
}

write('')
beforeEach((context) => {
  const name = 'fullName' in context ? context.fullName : context.name
  keepStatementsOf(name.split(' > ', 1)[0]!)
  write(name)
})
process.once('exit', () => rmSync(note, { force: true }))

// Without its hook, the test runner cannot tell which test an error belongs to, and that test might wait forever.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    console.error(`${event} in this test: ${running}\n`, error)
    process.exit(1)
  })
}
