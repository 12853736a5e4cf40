import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editJson, parseJson } from '../src/setup/json-text.js'

const path = ['mcpServers', 'worklore']
const entry = { url: 'http://127.0.0.1:3000/mcp' }

describe('the entry in a JSON file with comments', () => {
  for (const text of [
    '{"mcpServers": {\n // none yet\n}}',
    '{"mcpServers": { // none yet\n}}',
    '{"mcpServers": {\r\n\t// none yet\r\n\t// see http://docs.example\r\n}}',
    '{"mcpServers": {\n  /* none yet */\n}}',
    '{\n  "mcpServers": {\n    "docs": {} // the documentation\n  }\n}',
  ]) {
    it(`is taken out again from ${JSON.stringify(text)}`, () => {
      const written = editJson(text, path, undefined, entry)
      assert.deepEqual((parseJson(written) as { mcpServers: object }).mcpServers, {
        ...(parseJson(text) as { mcpServers: object }).mcpServers,
        worklore: entry,
      })
      const removed = editJson(written, path, entry, undefined)
      assert.equal(removed.replaceAll(/\s+/g, ''), text.replaceAll(/\s+/g, ''))
    })
  }

  it('changes no other line', () => {
    const others = '{\n  "mcpServers": {\n    "docs": { "command": "npx", "args": ["docs"] }'
    const written = editJson(`${others}\n  }\n}`, path, undefined, { url: 'x' })
    assert.equal(written, `${others},\n    "worklore": {\n      "url": "x"\n    }\n  }\n}`)
    assert.equal(editJson(written, path, { url: 'x' }, undefined), `${others}\n  }\n}`)
  })

  it('gets lines of its own in an object of one line', () => {
    const written = editJson('{"mcpServers":{"docs":{}}}', path, undefined, { url: 'x' })
    assert.equal(written, '{"mcpServers":{"docs":{},\n    "worklore": {\n      "url": "x"\n    }\n  }}')
  })

  it('is taken out where the object ends in the same line', () => {
    const text = '{"mcpServers": { // ours\n "worklore": {} }}'
    assert.deepEqual(parseJson(editJson(text, path, {}, undefined)), { mcpServers: {} })
  })
})
