import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startProcess } from 'worklore-testing/real-process'

test('a data folder is served by one process at a time, and is free again after a kill', async (test) => {
  const store = await engines[0]!.createStore()
  test.after(() => store.remove())
  const first = await startProcess(store)
  test.after(() => first.end('SIGKILL'))
  await assert.rejects(startProcess(store))
  await first.end('SIGKILL')
  const second = await startProcess(store)
  await second.end('SIGTERM')
})
