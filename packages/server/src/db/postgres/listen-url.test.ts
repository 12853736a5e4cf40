import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { until } from 'worklore-testing/until'
import { openDb } from '../open.js'

const postgres = engines.find(({ name }) => name === 'postgres')!

// Notifications do not cross databases, as they do not cross the nodes of Citus.
it('notifies nodes that enter elsewhere, by the address that they agreed on', async (test) => {
  const [agreed, one, other] = await Promise.all([0, 1, 2].map(() => postgres.createStore()))
  test.after(() => Promise.all([agreed!, one!, other!].map((store) => store.remove())))
  const [sender, receiver] = await Promise.all(
    [one!, other!].map((store) => openDb({ ...store, listenUrl: agreed!.databaseUrl })),
  )
  test.after(() => Promise.all([sender!, receiver!].map((db) => db.close())))
  let isListening = false
  let hasHeard = false
  receiver!.listen((notification) => {
    // The first tells of whatever came before it listened.
    if (isListening) hasHeard ||= notification.has('told')
    isListening = true
  })
  await until(
    async () => isListening,
    (is) => is,
  )
  sender!.announce('told')
  await until(
    async () => hasHeard,
    (has) => has,
  )
  assert.ok(hasHeard)
})
