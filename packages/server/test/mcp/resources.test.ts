import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createKey, createProject, createTask, putItem } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { request } from './messages.js'

describeClient('resources and the prompt of MCP', (wl) => {
  const read = async (uri: string, key = wl.adminKey) => {
    const { body } = await request(wl, 'resources/read', { uri }, { key })
    return body.result?.contents[0] ?? body.error
  }
  const complete = async (uri: string, name: string, value: string) => {
    const { body } = await request(wl, 'completion/complete', {
      ref: { type: 'ref/resource', uri },
      argument: { name, value },
    })
    return body.result.completion.values
  }

  it('read tasks and notes by their templates', async () => {
    await createProject(wl, { key: 'RES' })
    const { id } = await createTask(wl, 'RES', { title: 'Read me', description: 'See guides/größe.' })
    await putItem(wl, encodeURI('guides/größe'), 'How large')
    const { resourceTemplates } = (await request(wl, 'resources/templates/list')).body.result
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate),
      ['worklore://task/{id}', 'worklore://knowledge/{+key}'],
    )
    assert.deepEqual((await request(wl, 'resources/list')).body.result.resources, [])
    const task = await read(`worklore://task/${id}`)
    assert.match(task.text, /^RES-1 todo medium "Read me"\n(.|\n)*<data>\nHow large\n<\/data>/)
    for (const key of ['guides/gr%C3%B6%C3%9Fe', 'guides%2Fgr%C3%B6%C3%9Fe']) {
      const { text, mimeType, uri } = await read(`worklore://knowledge/${key}`)
      assert.deepEqual([text, mimeType, uri], ['How large', 'text/markdown', `worklore://knowledge/${key}`])
    }
    const { key } = await createKey(wl, { scopes: ['tasks:read'] })
    const refused = await read('worklore://knowledge/guides/gr%C3%B6%C3%9Fe', key)
    assert.deepEqual([refused.code, refused.message.includes('knowledge:read')], [-32_602, true])
  })

  it('complete the ids of tasks and the keys of notes', async () => {
    await createProject(wl, { key: 'COMP' })
    for (let at = 0; at < 12; at++) await createTask(wl, 'COMP')
    await putItem(wl, 'comp/one', 'x')
    await putItem(wl, 'comp/two', 'x')
    const ids = await complete('worklore://task/{id}', 'id', 'comp-1')
    assert.deepEqual(ids.sort(), ['COMP-1', 'COMP-10', 'COMP-11', 'COMP-12'])
    assert.equal((await complete('worklore://task/{id}', 'id', 'COM')).length, 12)
    assert.deepEqual(await complete('worklore://task/{id}', 'id', 'NONE-'), [])
    assert.deepEqual(await complete('worklore://knowledge/{+key}', 'key', 'comp/'), ['comp/one', 'comp/two'])
  })

  it('tell an agent how to work', async () => {
    const { prompts } = (await request(wl, 'prompts/list')).body.result
    assert.deepEqual(
      prompts.map(({ name }: { name: string }) => name),
      ['work'],
    )
    const { messages } = (await request(wl, 'prompts/get', { name: 'work' })).body.result
    for (const tool of ['claim_task', 'search', 'update_task', 'write_knowledge', 'finish_task']) {
      assert.match(messages[0].content.text, new RegExp(`\\b${tool}\\b`))
    }
  })
})
