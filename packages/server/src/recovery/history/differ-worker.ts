import { parentPort } from 'node:worker_threads'
import { changesBetween } from './changes.js'
import { type DifferTask, isReady } from './differ.js'

const parsed = (json: string | null): Record<string, unknown> | null => (json === null ? null : JSON.parse(json))

// A thread of its own: the time of a diff depends on the texts, and records are up to megabytes long.
parentPort!.on('message', ({ before, after, ...shown }: DifferTask) => {
  parentPort!.postMessage(JSON.stringify(changesBetween(parsed(before), parsed(after), shown)))
})
parentPort!.postMessage(isReady)
