import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { parse as parseToml } from 'smol-toml'
import { type AgentClientId, agentClients, configText, entryOf, mcpUrlOf } from 'worklore-client/setup'
import { engines } from 'worklore-testing/engines'
import { createKey, createProject } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { type User, userFor } from './wl.js'

const files: Record<AgentClientId, string> = {
  claude: '.claude.json',
  codex: '.codex/config.toml',
  cursor: '.cursor/mcp.json',
  vscode: 'config/Code/User/mcp.json',
  gemini: '.gemini/settings.json',
}

/** Configurations as their programs write them, and people after them. */
const existing: Record<AgentClientId, string> = {
  claude: `{
  "numStartups": 184,
  "mcpServers": {
    "sentry": { "type": "http", "url": "https://mcp.sentry.dev/mcp" }
  },
  "projects": { "/home/ada/acme": { "allowedTools": [], "history": [{ "display": "fix // the \\"login\\"" }] } }
}`,
  codex: `# Ada's settings
model = "gpt-5.2-codex"
notify = [
  "notify-send",
  "[mcp_servers.not-a-table]",
]

[mcp_servers.docs] # the documentation
command = "npx"
args = ["-y", "docs-server"]

# trusted folders
[projects."/home/ada/acme"]
trust_level = "trusted"
`,
  cursor: `{"mcpServers":{"docs":{"command":"npx","args":["-y","docs-server"]}}}\n`,
  vscode: `{
\t// Servers of all workspaces
\t"inputs": [
\t\t{ "type": "promptString", "id": "token", "description": "Token", "password": true }, // asked for once
\t],
\t"servers": {
\t\t/* The documentation */
\t\t"docs": { "type": "stdio", "command": "docs-server", },
\t},
}
`,
  gemini: `{\r\n    "theme": "GitHub",\r\n    "selectedAuthType": "gemini-api-key"\r\n}\r\n`,
}

const clientIds = Object.keys(agentClients) as AgentClientId[]

describe('wl setup', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await startService(engines[0]!)
    await createProject(service, { key: 'ACME' })
    key = (await createKey(service, { name: 'agent', scopes: ['tasks:write'] })).key
  })
  after(() => service.stop())

  const fileOf = (user: User, id: AgentClientId): string => join(user.env.HOME!, files[id])
  const read = (file: string): string => readFileSync(file, 'utf8')
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const agentOf = (test: TestContext): User => userFor(test, { baseUrl: service.baseUrl, adminKey: key })
  const connection = () => ({ baseUrl: service.baseUrl, apiKey: key })

  it('writes a new file that only its owner can read', async (test) => {
    const user = agentOf(test)
    for (const id of clientIds) {
      const file = fileOf(user, id)
      const { code, stdout, stderr } = await user.run(['setup', id, '--yes'])
      assert.equal(code, 0, stderr)
      assert.match(stdout, new RegExp(`^Wrote worklore to .*${files[id]}\\. Restart ${agentClients[id].name}`))
      assert.equal(read(file), configText(agentClients[id].config, connection()))
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.deepEqual(
        readdirSync(dirname(file)).filter((name) => /\.\d+$/.test(name)),
        [],
      )
    }
  })

  for (const id of clientIds) {
    it(`keeps what the configuration of ${id} has, changes nothing the second time, and takes it out again`, async (test) => {
      const user = agentOf(test)
      const file = fileOf(user, id)
      write(file, existing[id])
      await user.wl('setup', id, '--yes')
      const once = read(file)
      for (const line of existing[id].split(/\r?\n/).filter((each) => /\/\/|\/\*|#|notify|Token|gpt/.test(each))) {
        assert.ok(once.includes(line), line)
      }
      assert.equal(once.includes('\r\n'), existing[id].includes('\r\n'))
      assert.ok(once.includes(`Bearer ${key}`))
      assert.equal(statSync(file).mode & 0o777, 0o600)

      const again = await user.json('setup', id, '--yes')
      assert.deepEqual(again.data, { file, changed: false })
      assert.equal(read(file), once)

      await user.wl('setup', id, '--remove', '--yes')
      const removed = read(file)
      assert.ok(!removed.includes('worklore'))
      // The editor may reformat the lines next to the entry.
      const compact = (text: string): string => text.replaceAll(/\s+/g, '')
      assert.equal(compact(removed).replace(',"mcpServers":{}', ''), compact(existing[id]))
      assert.equal((await user.json('setup', id, '--remove', '--yes')).data.changed, false)
      assert.equal(read(file), removed)
    })
  }

  it('changes the key of an entry, and keeps what else its user wrote there', async (test) => {
    const user = agentOf(test)
    const cursor = fileOf(user, 'cursor')
    write(
      cursor,
      `{ "mcpServers": { "worklore": {
    "url": "http://old.example/mcp", // the old one
    "headers": { "Authorization": "Bearer old", "X-Team": "web" },
    "disabled": true // for now
  } } }`,
    )
    await user.wl('setup', 'cursor', '--yes')
    const text = read(cursor)
    assert.ok(text.includes('// the old one') && text.includes('// for now') && text.includes('"X-Team": "web"'), text)
    assert.ok(
      text.includes(`"url": "${mcpUrlOf(connection())}"`) &&
        text.includes(`"Bearer ${key}"`) &&
        !text.includes('Bearer old'),
    )

    const codex = fileOf(user, 'codex')
    write(
      codex,
      `[mcp_servers.worklore]
# for the office
url = "http://old.example/mcp"
bearer_token_env_var = "WORKLORE_KEY"
enabled_tools = ["search"]

[mcp_servers."worklore".tools.search]
approval_mode = "approve"

[mcp_servers.worklore.http_headers]
X-Team = "web"

[tui]
theme = "dark"
`,
    )
    await user.wl('setup', 'codex', '--yes')
    const parsed = JSON.parse(JSON.stringify(parseToml(read(codex))))
    const { http_headers, ...entry } = parsed.mcp_servers.worklore
    assert.deepEqual(entry, {
      url: mcpUrlOf(connection()),
      enabled_tools: ['search'],
      tools: { search: { approval_mode: 'approve' } },
    })
    assert.deepEqual(http_headers, { 'X-Team': 'web', Authorization: `Bearer ${key}` })
    assert.ok(read(codex).includes('# for the office') && read(codex).endsWith('\n[tui]\ntheme = "dark"\n'))

    const gemini = fileOf(user, 'gemini')
    write(gemini, '{"mcpServers":{"worklore":{"url":"http://old.example/mcp","type":"http","trust":true}}}')
    await user.wl('setup', 'gemini', '--yes')
    assert.deepEqual(JSON.parse(read(gemini)).mcpServers.worklore, {
      trust: true,
      ...entryOf(agentClients.gemini.config, connection()),
    })

    const claude = fileOf(user, 'claude')
    write(claude, '{"mcpServers":{"worklore":{"command":"npx","args":["-y","worklore-cli","mcp"],"env":{"A":"b"}}}}')
    await user.wl('setup', 'claude', '--yes')
    assert.deepEqual(JSON.parse(read(claude)).mcpServers.worklore, entryOf(agentClients.claude.config, connection()))
  })

  it('leaves a file alone that it cannot change safely', async (test) => {
    const user = agentOf(test)
    const refused: [id: AgentClientId, text: string, message: RegExp][] = [
      ['claude', '{ "mcpServers": { ', /cannot be read: .* in line 1/],
      ['claude', '[]', /has another form than expected/],
      ['cursor', '{ "mcpServers": [] }', /has another form than expected/],
      ['codex', 'model = ', /cannot be read: /],
      ['codex', 'mcp_servers = { docs = { command = "x" } }\n', /cannot be (read|changed)/],
      ['codex', '[mcp_servers]\nworklore = { url = "http://old.example/mcp" }\n', /cannot be (read|changed)/],
      ['codex', 'text = """\n[mcp_servers.worklore]\nurl = "x"\n"""\n', /cannot be (read|changed)/],
    ]
    for (const [id, text, message] of refused) {
      write(fileOf(user, id), text)
      const { code, stderr } = await user.run(['setup', id, '--yes'])
      assert.equal(code, 1, `${text}: ${stderr}`)
      assert.match(stderr, message)
      assert.equal(read(fileOf(user, id)), text)
    }
  })

  it('asks first on a terminal, and prints without asking', async (test) => {
    const user = agentOf(test)
    const file = fileOf(user, 'claude')
    const no = await user.terminal('wl setup claude', { answers: [[/Continue\?/, 'n']] })
    assert.match(no.stdout, /Nothing was changed/)
    const print = await user.run(['setup', 'claude', '--print'])
    assert.equal(print.stdout, configText(agentClients.claude.config, connection()))
    assert.match(print.stderr, /^For .*\.claude\.json:\n$/)
    const keyless = await user.run(['setup', 'codex', '--print'], { env: { WORKLORE_KEY: '' } })
    assert.match(keyless.stdout, /Bearer wl_live_…/)
    assert.ok(!existsSync(file) && !existsSync(fileOf(user, 'codex')))
    const yes = await user.terminal('wl setup claude', { answers: [[/Continue\?/, 'y']] })
    assert.equal(yes.code, 0, yes.stdout)
    assert.ok(existsSync(file))
  })

  it('needs no confirmation without a terminal', async (test) => {
    const user = agentOf(test)
    const file = fileOf(user, 'claude')
    await user.wl('setup', 'claude')
    assert.ok(existsSync(file))
    await user.wl('setup', 'claude', '--remove')
    assert.ok(!readFileSync(file, 'utf8').includes('worklore'))
  })

  it('keeps what was written while it asked', async (test) => {
    const user = agentOf(test)
    const file = fileOf(user, 'claude')
    write(file, existing.claude)
    const isAsked = (seen: string): boolean => {
      if (!/Continue\?/.test(seen)) return false
      write(file, '{ "numStartups": 185 }')
      return true
    }
    const { code, stdout } = await user.terminal('wl setup claude', { answers: [[{ test: isAsked } as RegExp, 'y']] })
    assert.equal(code, 0, stdout)
    const { numStartups, mcpServers } = JSON.parse(read(file))
    assert.deepEqual([numStartups, Object.keys(mcpServers)], [185, ['worklore']])
  })

  it('refuses a key that does not work, warns of an admin key, and goes on without the server', async (test) => {
    const user = userFor(test, service)
    const wrong = await user.run(['setup', 'claude', '--yes'], { env: { WORKLORE_KEY: `${key.slice(0, -1)}_` } })
    assert.equal(wrong.code, 4)
    assert.ok(!existsSync(fileOf(user, 'claude')))
    const admin = await user.run(['setup', 'claude', '--yes'])
    assert.match(admin.stderr, /may do everything. Use --agent/)
    const away = await user.run(['setup', 'gemini', '--yes'], { env: { WORKLORE_URL: 'http://127.0.0.1:1' } })
    assert.deepEqual([away.code, away.stderr], [0, 'Cannot reach http://127.0.0.1:1; the key was not checked.\n'])
    assert.equal(JSON.parse(read(fileOf(user, 'gemini'))).mcpServers.worklore.httpUrl, 'http://127.0.0.1:1/mcp')
    const unknown = await user.run(['setup', 'vscod'])
    assert.deepEqual([unknown.code, unknown.stderr], [2, 'wl: Unknown client "vscod". Did you mean vscode?\n'])
  })

  it('creates an agent with a key of its own, once', async (test) => {
    const user = userFor(test, service)
    const keyIn = (): string => /wl_live_\w+/.exec(read(fileOf(user, 'codex')))![0]
    write(fileOf(user, 'codex'), 'model = ')
    assert.equal((await user.run(['setup', 'codex', '--agent', 'scribe', '--yes'])).code, 1)
    const users = async () =>
      (await service.get('/v1/users?limit=100')).body.data.map(({ name }: { name: string }) => name)
    assert.ok(!(await users()).includes('scribe'))

    // A file in the place of the folder: there is nothing to read, and nothing can be written.
    const taken = join(user.env.HOME!, 'taken')
    writeFileSync(taken, '')
    const unwritable = await user.run(['setup', 'codex', '--agent', 'scribe', '--yes', '--file', join(taken, 'x')])
    assert.equal(unwritable.code, 1, unwritable.stderr)
    assert.ok(!(await users()).includes('scribe'))
    assert.ok(!(await service.get('/v1/keys?limit=100')).text.includes('scribe'))

    write(fileOf(user, 'codex'), existing.codex)
    await user.wl('setup', 'codex', '--agent', 'scribe', '--limit-to', 'ACME', '--yes')
    const { body } = await service.get('/v1/me', { key: keyIn() })
    assert.deepEqual(
      [
        body.data.user.name,
        body.data.user.kind,
        body.data.scopes,
        body.data.projects.map((each: { key: string }) => each.key),
      ],
      ['scribe', 'agent', ['tasks:write', 'knowledge:write'], ['ACME']],
    )
    const first = keyIn()
    assert.equal((await user.json('setup', 'codex', '--agent', 'scribe', '--yes')).data.changed, false)
    assert.equal(keyIn(), first)
    await service.delete(`/v1/keys/${body.data.key.id}`)
    await user.wl('setup', 'codex', '--agent', 'scribe', '--yes')
    assert.notEqual(keyIn(), first)
    assert.equal((await service.get('/v1/me', { key: keyIn() })).status, 200)
    const second = keyIn()
    await user.wl('setup', 'codex', '--remove', '--yes')
    await user.wl('setup', 'codex', '--agent', 'scribe', '--yes')
    assert.notEqual(keyIn(), second)
    assert.equal((await users()).filter((name: string) => name === 'scribe').length, 1)
    const again = await service.get('/v1/me', { key: keyIn() })
    assert.equal(again.body.data.user.id, body.data.user.id)
  })

  it('goes where the clients look, and through links', async (test) => {
    const user = agentOf(test)
    const home = user.env.HOME!
    const elsewhere = { CODEX_HOME: join(home, 'cx'), CLAUDE_CONFIG_DIR: join(home, 'cc') }
    for (const id of ['codex', 'claude']) await user.run(['setup', id, '--yes'], { env: elsewhere })
    assert.ok(existsSync(join(home, 'cx/config.toml')) && existsSync(join(home, 'cc/.claude.json')))
    const dotfile = join(home, 'dotfiles/mcp.json')
    write(dotfile, '{}')
    chmodSync(dotfile, 0o644)
    mkdirSync(join(home, '.cursor'))
    symlinkSync(dotfile, fileOf(user, 'cursor'))
    await user.wl('setup', 'cursor', '--yes')
    assert.ok(lstatSync(fileOf(user, 'cursor')).isSymbolicLink())
    assert.ok(read(dotfile).includes(key))
    assert.equal(statSync(dotfile).mode & 0o777, 0o600)
    await user.wl('setup', 'vscode', '--file', '.vscode/mcp.json', '--yes')
    assert.ok(read(join(user.folder, '.vscode/mcp.json')).includes(key))
  })
})

describe('wl setup agents-md', () => {
  let service: TestService
  before(async () => {
    service = await startService(engines[0]!)
  })
  after(() => service.stop())

  it('adds a section once, keeps the rest, and takes it out again', async (test) => {
    const user = userFor(test, service)
    const own = '# Acme\n\nRun `npm test` before you push.\n'
    for (const [name, text] of [
      ['CLAUDE.md', own],
      ['AGENTS.md', own.replaceAll('\n', '\r\n')],
    ] as const) {
      const file = join(user.folder, name)
      writeFileSync(file, text)
      await user.wl('setup', 'agents-md', '--yes')
      const once = readFileSync(file, 'utf8')
      assert.ok(once.startsWith(text) && once.includes('claim_task') && once.includes('wl next --claim'))
      assert.equal(once.replaceAll('\r\n', '').includes('\n'), !text.includes('\r'))
      assert.equal((await user.json('setup', 'agents-md', '--yes')).data.changed, false)
      writeFileSync(file, `${once}\nMore rules.\n`)
      writeFileSync(join(user.folder, '.worklore.json'), '{"project":"ACME"}')
      await user.wl('setup', 'agents-md', '--yes')
      const named = readFileSync(file, 'utf8')
      assert.ok(named.includes('in Worklore, project ACME.') && named.endsWith('\nMore rules.\n'))
      assert.equal(named.split('worklore: begin').length, 2)
      await user.wl('setup', 'agents-md', '--remove', '--yes')
      assert.equal(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'), `${own}\nMore rules.\n`)
      writeFileSync(join(user.folder, '.worklore.json'), '{}')
    }
  })

  it('creates the file where there is none, removes what it created, and keeps hands off broken marks', async (test) => {
    const user = userFor(test, service)
    const file = join(user.folder, 'AGENTS.md')
    const { stdout } = await user.run(['setup', 'agents-md', '--print'])
    assert.ok(!existsSync(file))
    await user.wl('setup', 'agents-md', '--yes')
    assert.equal(readFileSync(file, 'utf8'), stdout)
    assert.equal(statSync(file).mode & 0o777, 0o644)
    await user.wl('setup', 'agents-md', '--remove', '--yes')
    assert.ok(!existsSync(file))
    writeFileSync(file, `${stdout}\n${stdout}`)
    const twice = await user.run(['setup', 'agents-md', '--yes'])
    assert.deepEqual([twice.code, readFileSync(file, 'utf8')], [1, `${stdout}\n${stdout}`])
    assert.match(twice.stderr, /must have each of the lines/)
  })

  it('names commands that wl has, and tools that the service has', async (test) => {
    const user = userFor(test, service)
    const text = await user.wl('setup', 'agents-md', '--print')
    for (const [, name] of text.matchAll(/`wl ((?:note )?[a-z]+)/g)) {
      assert.match(await user.wl(...name!.split(' '), '--help'), new RegExp(`^Usage: wl ${name} `))
    }
    const { stdout } = await user.run(['mcp'], { input: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' })
    const tools = JSON.parse(stdout).result.tools.map(({ name }: { name: string }) => name)
    for (const [, name] of text.matchAll(/`([a-z]+(?:_[a-z]+)+|search)`/g)) assert.ok(tools.includes(name), name)
  })
})

describe('wl keys create --agent', () => {
  it('creates the agent with its key', async (test) => {
    const service = await startService(engines[0]!)
    test.after(() => service.stop())
    const user = userFor(test, service)
    const secret = (await user.wl('keys', 'create', '--agent', 'agent-7')).trim()
    const { data } = (await service.get('/v1/me', { key: secret })).body
    assert.deepEqual([data.user.name, data.user.kind, data.key.name], ['agent-7', 'agent', 'agent-7'])
    assert.deepEqual(data.scopes, ['tasks:write', 'knowledge:write'])
    const named = await user.json('keys', 'create', 'laptop', '--agent', 'agent-8', '--scope', 'tasks:read')
    assert.deepEqual([named.data.name, named.data.scopes], ['laptop', ['tasks:read']])
    for (const words of [['--agent', 'x', '--user', 'me'], [], ['x']]) {
      assert.equal((await user.run(['keys', 'create', ...words])).code, 2)
    }
  })
})
