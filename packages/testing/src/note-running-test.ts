import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach } from 'node:test'
import { noteEnding } from './running-tests.js'

// Each test process loads this first: it keeps, beside the file that the process runs, which test has begun last.
const note = `${process.argv[1]}${noteEnding}`
const write = (name: string): void => writeFileSync(note, name)

write('')
beforeEach((context) => write('fullName' in context ? context.fullName : context.name))
process.once('exit', () => rmSync(note, { force: true }))
