import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun } from 'worklore-testing/long-run'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'

const letters = 'abcdefghijklmnopqrstuvwxyz'
const writers = inLongRun(8, 16)
const rounds = inLongRun(8, 26)

for (const engine of engines) {
  // In a process of its own: what writes and what searches must not share the tests' event loop, which would order them.
  describe(`search of what was just written, on ${engine.name}`, () => {
    let store: TestStore
    let node: RealProcess
    before(async () => {
      store = await engine.createPreparedStore()
      node = await startProcess(store)
    })
    after(async () => {
      await node.end('SIGKILL')
      await store.remove()
    })

    const call = async (method: string, path: string, body?: object) => {
      const answer = await send(node.baseUrl, method, path, { key: testAdminKey, ...(body && { body }) })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }

    it('is right for each of many that write and search at once', async () => {
      await call('POST', '/v1/projects', { key: 'ACME', name: 'Acme' })
      const search = async (word: string): Promise<string[]> => {
        const { data, relaxed } = await call('GET', `/v1/tasks/search?q="${word}"`)
        // Then no task has the word, and these have similar ones.
        return relaxed ? [] : data.map(({ id }: { id: string }) => id)
      }

      const writeAndSearch = async (writer: string) => {
        for (let round = 0; round < rounds; round++) {
          const [first, second] = [`qx${writer}${letters[round]}qu`, `zx${writer}${letters[round]}zu`]
          const { id } = (await call('POST', '/v1/tasks', { projectId: 'ACME', title: first })).data
          assert.deepEqual(await search(first), [id], 'after its creation')
          await call('PATCH', `/v1/tasks/${id}`, { title: second })
          assert.deepEqual(await search(first), [], 'by its old title')
          await call('DELETE', `/v1/tasks/${id}`)
          assert.deepEqual(await search(second), [], 'after its deletion')
        }
      }
      await Promise.all([...letters].slice(0, writers).map(writeAndSearch))
    })
  })
}
