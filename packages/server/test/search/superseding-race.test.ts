import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createProject, putItem } from 'worklore-testing/factories'
import { describeService } from 'worklore-testing/service-suite'
import { searchKnowledge } from './hybrid-fixture.js'

const changes = 60

describeService('searches while items are superseded', (wl) => {
  it('answer with one item that holds, at every moment', async () => {
    await createProject(wl, { key: 'RACE' })
    await putItem(wl, 'mast/0', 'The height of the mast is 0')
    let isOver = false
    const searches = [0, 0, 0]
    const read = async (reader: number) => {
      let last = 0
      while (!isOver) {
        const { data } = await searchKnowledge(wl, 'height of the mast')
        assert.equal(data.length, 1, JSON.stringify(data.map(({ key }: { key: string }) => key)))
        assert.equal(data[0].state, 'current')
        const version = Number(data[0].key.split('/')[1])
        assert.ok(version >= last, `${version} after ${last}`)
        last = version
        searches[reader]!++
      }
    }
    // A search meets two changes at most, however fast the machine is.
    const everyReaderSearched = async () => {
      const before = [...searches]
      while (!isOver && searches.some((count, reader) => count === before[reader])) await setImmediate()
    }
    const write = async () => {
      for (let version = 1; version <= changes; version++) {
        const supersedes = [`mast/${version - 1}`]
        await putItem(wl, `mast/${version}`, `The height of the mast is ${version}`, { supersedes })
        await everyReaderSearched()
      }
    }
    const end = () => {
      isOver = true
    }
    await Promise.all([write(), ...searches.map((_, reader) => read(reader))].map((each) => each.finally(end)))
    assert.equal((await searchKnowledge(wl, 'height of the mast')).data[0].key, `mast/${changes}`)
  })
})
