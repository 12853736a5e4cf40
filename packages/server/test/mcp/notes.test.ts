import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { describeClientService } from 'worklore-testing/service-suite'
import { callTool } from './messages.js'

describeClientService('notes by MCP', (wl) => {
  before(async () => {
    await createProject(wl, { key: 'ONE' })
    await createProject(wl, { key: 'TWO' })
  })

  const keysOf = async (prefix: string): Promise<string[]> =>
    (await wl.get(`/v1/knowledge?prefix=${prefix}`)).body.data.map((item: { content: string }) => item.content)

  it('are changed where they were read, without a project', async () => {
    await putItem(wl, 'read/note', 'First.', { projectId: 'ONE' })
    assert.match((await callTool(wl, 'read_knowledge', { key: 'read/note' })).text, /^read\/note v1 project ONE /)
    const append = { key: 'read/note', mode: 'append', content: 'Second.' }
    assert.equal((await callTool(wl, 'write_knowledge', append)).text, 'read/note v2 written in project ONE')
    const edit = { key: 'read/note', mode: 'edit', old_text: 'First', content: 'Third' }
    assert.equal((await callTool(wl, 'write_knowledge', edit)).text, 'read/note v3 written in project ONE')
    const replace = { key: 'read/note', content: 'Fourth.', version: 3 }
    assert.equal((await callTool(wl, 'write_knowledge', replace)).text, 'read/note v4 written in project ONE')
    assert.deepEqual(await keysOf('read/'), ['Fourth.'])
    assert.equal((await callTool(wl, 'write_knowledge', { ...append, key: 'new/note' })).text, 'new/note v1 created')
    const stale = await callTool(wl, 'write_knowledge', { ...edit, version: 2 })
    assert.match(stale.text, /^PRECONDITION_FAILED: The record is now at version 4\./)
  })

  it('say whether they hold, and are superseded, judged and retracted', async () => {
    const reviewer = { key: (await createKey(wl, { scopes: ['knowledge:write'] })).key }
    const write = async (args: Record<string, unknown>, options = {}) =>
      (await callTool(wl, 'write_knowledge', args, options)).text
    const read = async (key: string) => (await callTool(wl, 'read_knowledge', { key })).text.split('\n')[0]!
    await putItem(wl, 'life/setup', 'Old.')
    assert.match(
      await write({ key: 'life/setup-2', content: 'New.', supersedes: ['life/setup'] }),
      /^life\/setup-2 v1 created/,
    )
    assert.match(await read('life/setup'), / \(superseded by life\/setup-2; read that\) by /)
    const verify = { key: 'life/setup-2', mode: 'verify', content: 'Tried it.', version: 1 }
    assert.match(await write(verify), /^FORBIDDEN: .*must be verified by someone else/)
    assert.match(await write({ ...verify, version: undefined }, reviewer), /version is required/)
    assert.match(await write(verify, reviewer), /^life\/setup-2 v2 verified by .+ "Tried it\."$/)
    assert.match(await write({ ...verify, mode: 'dispute' }), /^PRECONDITION_FAILED/)
    assert.match(await write({ ...verify, mode: 'dispute', content: '', version: 2 }), /^life\/setup-2 v3 disputed by/)
    assert.match(await write({ ...verify, mode: 'retract', content: ' ', version: 3 }), /must say why/)
    const retracted = await write({ ...verify, mode: 'retract', content: 'It is wrong.', version: 3 })
    assert.match(retracted, /^life\/setup-2 v4 retracted "It is wrong\."; do not rely on it/)
    assert.doesNotMatch(await read('life/setup'), /superseded/)
    const { text } = await callTool(wl, 'list_knowledge', { prefix: 'life/' })
    assert.match(text, /life\/setup-2 v4 \S+ \S+ \(retracted/)
    await wl.post('/v1/knowledge/move', { from: 'life/setup', to: 'life/moved' })
    assert.match((await callTool(wl, 'read_knowledge', { key: 'life/setup' })).text, /was moved to "life\/moved"/)
  })

  it('name the notes that may say the same when they are written', async () => {
    const content = '# Deploying the billing service\n\nRun the deploy script for billing from the release branch.'
    assert.equal((await callTool(wl, 'write_knowledge', { key: 'twin/first', content })).text, 'twin/first v1 created')
    const { text } = await callTool(wl, 'write_knowledge', { key: 'twin/second', content })
    assert.match(text, /^twin\/second v1 created\nSimilar: twin\/first\. If one says the same, keep one: update it/)
    const again = await callTool(wl, 'write_knowledge', { key: 'twin/second', content, supersedes: ['twin/first'] })
    assert.equal(again.text, 'twin/second v2 written', 'what is superseded is no twin')
  })

  it('of several projects are not guessed at', async () => {
    for (const projectId of ['ONE', 'TWO']) await putItem(wl, 'twice/note', 'Text.', { projectId })
    for (const mode of ['replace', 'append', 'edit']) {
      const args = { key: 'twice/note', content: 'x', mode, ...(mode === 'edit' && { old_text: 'Text' }) }
      const { text, isError } = await callTool(wl, 'write_knowledge', args)
      assert.equal(isError, true, text)
      assert.match(text, /^CONFLICT: .*Set project to one of them\. Projects with it: (ONE, TWO|TWO, ONE)\.$/)
    }
    assert.deepEqual(await keysOf('twice/'), ['Text.', 'Text.'])
  })

  it('that are not in the project are said to be where they are', async () => {
    await putItem(wl, 'wide/note', 'Text.', { projectId: null })
    await putItem(wl, 'other/note', 'Text.', { projectId: 'TWO' })
    const edit = { mode: 'edit', old_text: 'Text', content: 'x', project: 'ONE' }
    for (const [name, args] of [
      ['read_knowledge', { project: 'ONE' }],
      ['write_knowledge', edit],
    ] as const) {
      const wide = await callTool(wl, name, { ...args, key: 'wide/note' })
      assert.match(wide.text, /^NOT_FOUND: .*not found in project "ONE"\. It is tenant-wide\. Leave project out\.$/)
      const other = await callTool(wl, name, { ...args, key: 'other/note' })
      assert.match(other.text, /^NOT_FOUND: .*not found in project "ONE"\..* Projects with it: TWO\.$/)
    }
    const { key } = await createKey(wl, { scopes: ['knowledge:write'], projectIds: ['ONE'] })
    const limited = await callTool(wl, 'write_knowledge', { key: 'wide/note', content: 'x' }, { key })
    assert.match(limited.text, /^FORBIDDEN: .*Set project to one of its projects\. Projects of this key: ONE\.$/)
    const [missing, stale] = [{ old_text: 'not there' }, { old_text: 'Text', version: 9 }]
    for (const args of [missing, stale]) {
      const refused = await callTool(
        wl,
        'write_knowledge',
        { key: 'wide/note', mode: 'edit', content: 'x', ...args },
        { key },
      )
      assert.equal(refused.text, limited.text)
      const own = await callTool(wl, 'write_knowledge', { key: 'wide/note', mode: 'edit', content: 'x', ...args })
      assert.match(
        own.text,
        args === missing ? /^VALIDATION_ERROR: .*old_text / : /^PRECONDITION_FAILED: .*version 1\. /,
      )
    }
  })

  it('that are changed under a claim that is over are not looked at', async () => {
    const edit = { key: 'none/note', mode: 'edit', old_text: 'a', content: 'b', claim: 'ONE-1.1' }
    const { text } = await callTool(wl, 'write_knowledge', edit)
    assert.match(text, /^PRECONDITION_FAILED: Claim ONE-1\.1 is no longer held/)
  })

  it('that several change at once keep the text of all', async () => {
    const lines = Array.from({ length: 12 }, (_, at) => `Line ${at}.`)
    const append = (content: string) => callTool(wl, 'write_knowledge', { key: 'many/note', mode: 'append', content })
    for (const { text, isError } of await Promise.all(lines.map(append))) assert.equal(isError, false, text)
    const [content] = await keysOf('many/')
    assert.deepEqual(content!.split('\n').sort(), lines.sort())
  })
})
