import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../../test/engines.js'
import { startProcess } from '../../test/real-process.js'

test('a data folder is served by one process at a time, and is free again after a kill', async () => {
  const store = await engines[0]!.createStore()
  const first = await startProcess(store)
  await assert.rejects(startProcess(store))
  await first.end('SIGKILL')
  const second = await startProcess(store)
  await second.end('SIGTERM')
  await store.remove()
})
