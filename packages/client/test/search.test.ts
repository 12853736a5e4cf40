import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { ValidationError } from '../src/index.js'
import { onEveryEngine } from './on-every-engine.js'

onEveryEngine('search', (stage) => {
  before(async () => {
    const { wl } = stage
    await wl.projects.create({ key: 'ACME', name: 'Acme' })
    for (let index = 0; index < 7; index++) {
      await wl.tasks.create({ projectId: 'ACME', title: `Mend the login redirect ${index}` })
    }
    await wl.tasks.create({ projectId: 'ACME', title: 'Paint the fence' })
    await wl.knowledge.put('guides/setup/linux', { content: 'Install Node 20 on Linux, then run npm start.' })
    await wl.knowledge.put('recipes/bread', { content: 'Flour, water, salt and time.' })
  })

  it('gives tasks, best first, over all pages', async () => {
    const { wl } = stage
    const { data, pagination } = await wl.tasks.search('login redirect', { limit: 3, status: ['todo', 'done'] })
    assert.equal(data.length, 3)
    assert.equal(pagination.total, 7)
    assert.ok(data[0]!.score > 0 && data[0]!.score <= 1)
    const found: string[] = []
    for await (const task of wl.tasks.search('login redirect', { limit: 3 })) found.push(task.id)
    assert.equal(new Set(found).size, 7)
  })

  it('gives both kinds in one list, and similar tasks', async () => {
    const { wl } = stage
    const { data: found } = await wl.search('install linux')
    assert.deepEqual(
      found.map((hit) => (hit.kind === 'task' ? hit.id : hit.key)),
      ['guides/setup/linux'],
    )
    const similar = await wl.tasks.similar('ACME-1', { limit: 3, minScore: 0 })
    assert.equal(similar.length, 3)
    assert.ok(similar.every(({ id }) => id !== 'ACME-1'))
  })

  it('gives knowledge with its score and snippet', async () => {
    const { wl } = stage
    const { data } = await wl.knowledge.search('install linux', { prefix: 'guides/' })
    assert.deepEqual(
      data.map(({ key }) => key),
      ['guides/setup/linux'],
    )
    assert.match(data[0]!.snippet, /<mark>/)
    const keys: string[] = []
    for await (const hit of wl.knowledge.search('flour', { limit: 5 })) keys.push(hit.key)
    assert.deepEqual(keys, ['recipes/bread'])
    await assert.rejects(async () => await wl.knowledge.search(' '), ValidationError)
  })
})
