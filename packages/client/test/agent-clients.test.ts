import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type AgentClient, agentClients, configText, entryOf, otherClients } from '../src/agent-clients.js'

const local = { baseUrl: 'http://127.0.0.1:8787/', apiKey: 'wl_live_…' }
const odd = { baseUrl: "https://work.example/a'b/$HOME;id&x/mcp", apiKey: 'wl_live_abc' }

describe('the texts that connect an agent', () => {
  it('are those of the documentation', () => {
    const guide = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8')
    for (const [id, client] of Object.entries(agentClients)) {
      const [first] = client.instructions({ ...local, apiKey: 'wl_live_x' }).filter((each) => !('isLink' in each))
      const text = first!.text.replaceAll('wl_live_x', 'wl_live_…')
      assert.ok(guide.includes(`\n${text.trim()}\n`), `${id}: ${text}`)
    }
    assert.ok(guide.includes(configText(agentClients.gemini.config, local)))
  })

  it('are commands that a shell takes apart as they are meant', () => {
    const wordsOf = (program: string, line: string): string[] =>
      execFileSync('sh', ['-c', `${program}() { printf '%s\\n' "$@"; }\n${line}`], { encoding: 'utf8' }).split('\n')
    const url = "https://work.example/a'b/$HOME;id&x/mcp"
    const header = 'Authorization: Bearer wl_live_abc'
    const textOf = (client: AgentClient): string => client.instructions(odd)[0]!.text
    assert.deepEqual(wordsOf('claude', textOf(agentClients.claude)).slice(2, -1), [
      '--transport',
      'http',
      '--scope',
      'user',
      'worklore',
      url,
      '--header',
      header,
    ])
    assert.deepEqual(wordsOf('gemini', textOf(agentClients.gemini)).slice(-5, -1), [
      '--header',
      header,
      'worklore',
      url,
    ])
    assert.deepEqual(wordsOf('curl', textOf(otherClients.curl)).slice(0, -1), [
      '-s',
      url.replace('/mcp', '/v1/me'),
      '-H',
      header,
    ])
    const exported = `${textOf(otherClients.wl).replace(/npx.*/, '')}printf '%s %s' "$WORKLORE_URL" "$WORKLORE_KEY"`
    assert.equal(wordsOf('none', exported)[0], `${url.replace('/mcp', '')} wl_live_abc`)
  })

  it('are links that hold the entry', () => {
    const linkOf = (client: AgentClient): URL => new URL(client.instructions(odd).find(({ isLink }) => isLink)!.text)
    const cursor = linkOf(agentClients.cursor)
    assert.equal(
      `${cursor.protocol}//${cursor.host}${cursor.pathname}`,
      'cursor://anysphere.cursor-deeplink/mcp/install',
    )
    assert.equal(cursor.searchParams.get('name'), 'worklore')
    assert.deepEqual(
      JSON.parse(Buffer.from(cursor.searchParams.get('config')!, 'base64').toString()),
      entryOf(agentClients.cursor.config, odd),
    )
    const vscode = linkOf(agentClients.vscode)
    assert.equal(`${vscode.protocol}${vscode.pathname}`, 'vscode:mcp/install')
    assert.deepEqual(JSON.parse(decodeURIComponent(vscode.search.slice(1))), {
      name: 'worklore',
      ...entryOf(agentClients.vscode.config, odd),
    })
  })
})
