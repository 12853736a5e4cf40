import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../../test/engines.js'
import { startServeProcess } from '../../test/serve-process.js'

test('a data folder is served by one process at a time, and is free again after a kill', async () => {
  const store = await engines[0]!.createStore()
  const first = await startServeProcess(store)
  await assert.rejects(startServeProcess(store))
  await first.end('SIGKILL')
  const second = await startServeProcess(store)
  await second.end('SIGTERM')
  await store.remove()
})
