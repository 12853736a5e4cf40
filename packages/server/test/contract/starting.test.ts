import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { expectStatus } from 'worklore-testing/expect'
import { send, startService } from 'worklore-testing/harness'
import {
  canRunUnprivileged,
  environmentOf,
  program,
  runProgram,
  serveProgram,
  startProgram,
} from 'worklore-testing/program'
import { giveToUnprivileged, unprivilegedUser } from 'worklore-testing/unprivileged'
import { until } from 'worklore-testing/until'
import { builtConsoleFolder } from '../../src/http/console/files.js'

/** Whether the package of the console is there and built. */
const hasConsole = builtConsoleFolder() !== undefined

const secret = /wl_live_[0-9A-Za-z]{38}/g

for (const engine of engines) {
  describe(`the first start on ${engine.name}`, () => {
    let made: TestStore
    let given: TestStore
    before(async () => {
      made = await engine.createStore()
      given = await engine.createStore()
    })
    after(async () => {
      await made.remove()
      await given.remove()
    })

    it('prints an admin key once, and later starts never again', async (test) => {
      const first = await serveProgram(test, { ...environmentOf(made), LOG_LEVEL: 'trace' })
      assert.match(first.outcome.stdout, /Docs: {2}http:\S+\/docs/)
      assert.match(first.outcome.stdout, /Plan: {2}self-hosted \(.*tenants set-plan default free\n/)
      const keys = first.outcome.stdout.match(secret)
      assert.equal(keys?.length, 1)
      assert.doesNotMatch(first.outcome.stdout, /"level"/)
      const me = expectStatus(await send(first.baseUrl, 'GET', '/v1/me', { key: keys![0] }), 200).body.data
      assert.deepEqual([me.tenant.name, me.plan, me.scopes], ['default', 'self-hosted', ['admin']])
      first.signal('SIGTERM')
      assert.equal((await first.ended).code, 0)
      assert.equal(first.outcome.stdout.match(secret)?.length, 1)
      assert.doesNotMatch(first.outcome.stderr, secret)
      for (const line of first.outcome.stderr.trim().split('\n')) assert.ok('level' in JSON.parse(line))
      const second = await serveProgram(test, { ...environmentOf(made), LOG_LEVEL: 'trace' })
      expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key: keys![0] }), 200)
      second.signal('SIGINT')
      assert.equal((await second.ended).code, 0)
      assert.doesNotMatch(second.outcome.stdout + second.outcome.stderr, secret)
    })

    it('puts the tenant on the plan free where others can reach the service, unless a plan is set', async (test) => {
      const planOn = async (config: { host: string; plan: string | undefined }): Promise<string> => {
        // The harness listens on loopback whatever the setting.
        const wl = await startService(engine, { config })
        test.after(() => wl.stop())
        return expectStatus(await wl.get('/v1/me'), 200).body.data.plan
      }
      assert.equal(await planOn({ host: '0.0.0.0', plan: undefined }), 'free')
      assert.equal(await planOn({ host: '::1', plan: undefined }), 'self-hosted')
      assert.equal(await planOn({ host: '0.0.0.0', plan: 'pro' }), 'pro')
      assert.equal(await planOn({ host: '127.0.0.1', plan: 'free' }), 'free')
    })

    it('prints a link to the console that signs in as that key', { skip: !hasConsole }, async (test) => {
      const store = await engine.createStore()
      test.after(() => store.remove())
      const first = await serveProgram(test, { ...environmentOf(store), LOG_LEVEL: 'trace' })
      const link = /\/console\/#link=(wl_link_\S+)/.exec(first.outcome.stdout)![1]!
      const headers = { 'sec-fetch-site': 'same-origin' }
      const trade = () => send(first.baseUrl, 'POST', '/console/session', { body: { link }, headers })
      assert.equal(expectStatus(await trade(), 201).body.data.keyName, 'admin')
      expectStatus(await trade(), 401)
      first.signal('SIGTERM')
      await first.ended
      assert.doesNotMatch(first.outcome.stderr, /wl_link_/)
    })

    it('takes the key and the plan of the environment; a later difference or a typo is a warning', async (test) => {
      const key = 'wl_an-operator’s own key'.replace(/[^a-z_]/g, '-').padEnd(32, '!')
      const settings = { WORKLORE_ADMIN_KEY: key, WORKLORE_PLAN: 'self-hosted' }
      const first = await serveProgram(test, { ...environmentOf(given), ...settings })
      const me = expectStatus(await send(first.baseUrl, 'GET', '/v1/me', { key }), 200).body.data
      assert.equal(me.plan, 'self-hosted')
      first.signal('SIGTERM')
      await first.ended
      assert.ok(!first.outcome.stdout.includes(key))
      assert.doesNotMatch(first.outcome.stderr, /warn|"level":40/)

      const other = {
        WORKLORE_ADMIN_KEY: 'another-key-of-at-least-32-characters',
        WORKLORE_PLAN: 'pro',
        WORKLORE_EMBEDINGS: 'off',
      }
      const second = await serveProgram(test, { ...environmentOf(given), ...other })
      expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key: other.WORKLORE_ADMIN_KEY }), 401)
      const same = expectStatus(await send(second.baseUrl, 'GET', '/v1/me', { key }), 200).body.data
      assert.equal(same.plan, 'self-hosted')
      second.signal('SIGTERM')
      await second.ended
      assert.match(second.outcome.stderr, /"level":40.*WORKLORE_PLAN/)
      assert.match(second.outcome.stderr, /"level":40.*WORKLORE_ADMIN_KEY/)
      assert.match(second.outcome.stderr, /"level":40.*WORKLORE_EMBEDINGS: unknown setting/)
      assert.ok(!second.outcome.stdout.includes(other.WORKLORE_ADMIN_KEY))
      assert.ok(!second.outcome.stderr.includes(other.WORKLORE_ADMIN_KEY))
    })
  })
}

describe('a console link', () => {
  const isOnSqlite = engines[0]!.name === 'sqlite'
  it('has the port of the running service, whatever PORT says', { skip: !hasConsole || !isOnSqlite }, async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    const { baseUrl, signal, ended } = await serveProgram(test, { ...environmentOf(store), PORT: '0' })
    const { stdout } = await runProgram(['console'], environmentOf(store))
    assert.equal(new URL(stdout.trim()).port, new URL(baseUrl).port)
    signal('SIGTERM')
    await ended
    const { stdout: later } = await runProgram(['console'], { ...environmentOf(store), PORT: '8801' })
    assert.equal(new URL(later.trim()).port, '8801')
  })
})

describe('a start with both outputs in one place', () => {
  it('shows the banner with the key and the link after the log', async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    const file = join(store.dataDir, 'output')
    const descriptor = openSync(file, 'w')
    test.after(() => closeSync(descriptor))
    const child = spawn(process.execPath, [program, 'serve'], {
      env: { ...environmentOf(store), WORKLORE_EMBEDDINGS: 'off', PORT: '0' },
      stdio: ['ignore', descriptor, descriptor],
    })
    test.after(() => child.kill('SIGKILL'))
    await until(
      async () => readFileSync(file, 'utf8'),
      (text) => text.includes('listening on'),
    )
    child.kill('SIGTERM')
    await once(child, 'exit')
    const lines = readFileSync(file, 'utf8').split('\n')
    assert.equal(lines.filter((line) => line.includes('schema migrated')).length, 1)
    const migrated = lines.findIndex((line) => line.includes('schema migrated'))
    const listening = lines.findIndex((line) => /^Worklore .* listening on/.test(line))
    assert.ok(migrated < listening)
    const afterBanner = lines.slice(listening).findIndex((line) => line.startsWith('{'))
    assert.match(lines[listening + afterBanner]!, /stopping/)
    assert.ok(lines.slice(listening, listening + afterBanner).some((line) => line.includes('wl_live_')))
  })
})

describe('a start with wrong settings', () => {
  it('ends with a message that names every wrong one', async () => {
    const wrong = {
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
      WORKLORE_POOL_SIZE: 'many',
      WORKLORE_ADMIN_KEY: 'short',
      WORKLORE_BODY_LIMIT: '-1',
      WORKLORE_SEARCH_MEMORY: '0',
      WORKLORE_EVENT_DAYS: '1.5',
      WORKLORE_PLAN: 'gold',
      WORKLORE_PLANS: '/nonexistent/plans.json',
      TRUST_PROXY: 'everyone',
      WORKLORE_PUBLIC_URL: 'http://worklore.example.com',
    }
    const { code, stdout, stderr } = await runProgram(['serve'], wrong)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    for (const name of Object.keys(wrong)) assert.ok(stderr.includes(name), `${name} is missing in: ${stderr}`)
    assert.doesNotMatch(stderr, /\n\s+at /)
  })

  it('refuses an admin key that could never be used', async () => {
    for (const key of ['x'.repeat(31), `${'x'.repeat(32)} y`, `wl_live_${'x'.repeat(38)}`]) {
      const { code, stderr } = await runProgram(['serve'], { WORKLORE_ADMIN_KEY: key })
      assert.equal(code, 1)
      assert.match(stderr, /WORKLORE_ADMIN_KEY/)
      assert.ok(!stderr.includes(key))
    }
  })
})

describe('a start that cannot succeed', () => {
  it('names the address it cannot listen on, and makes no key', async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    test.after(() => taken.close())
    const { port } = taken.address() as AddressInfo
    const attempts: [settings: Record<string, string>, message: RegExp][] = [
      [{ PORT: String(port) }, new RegExp(`127\\.0\\.0\\.1, port ${port}: the port is already in use`)],
      [{ HOST: '203.0.113.7', PORT: '0' }, /203\.0\.113\.7, port 0: this machine does not have that address/],
      [{ HOST: 'no-such-host.invalid', PORT: '0' }, /no-such-host\.invalid/],
    ]
    for (const [settings, message] of attempts) {
      const { code, stdout, stderr } = await runProgram(['serve'], { ...environmentOf(store), ...settings })
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /\n\s+at /)
    }
    assert.deepEqual(readdirSync(store.dataDir), [])
  })

  it('names the database that it cannot reach, without its password', async () => {
    const address = 'postgres://someone:hidden-password@127.0.0.1:1/nothing'
    for (const words of [['serve'], ['migrate'], ['tenants', 'list'], ['after-restore', '--yes']]) {
      const { code, stdout, stderr } = await runProgram(words, { DATABASE_URL: address, PORT: '0' })
      assert.equal(code, 1, words.join(' '))
      assert.equal(stdout, '')
      assert.match(stderr, /127\.0\.0\.1:1\/nothing: .*ECONNREFUSED/)
      assert.ok(!stderr.includes('hidden-password'))
    }
    const { stderr } = await runProgram(['serve'], { DATABASE_URL: 'postgres://someone:50%@127.0.0.1:1/nothing' })
    assert.match(stderr, /DATABASE_URL contains a "%" that must be written as "%25"/)
  })

  it('ends at once where a data folder cannot be created', { skip: !existsSync('/proc/self') }, async (test) => {
    const engine = engines.at(-1)!
    const store = await engine.createStore()
    test.after(() => store.remove())
    const { WORKLORE_SECRET_KEY: _, ...ofStore } = environmentOf(store)
    const unusable = (dataDir: string) =>
      `Cannot use ${dataDir} as the data folder: it cannot be created. Set WORKLORE_DATA to another one.\n`
    const attempts: [settings: Record<string, string>, message: string][] = [
      [{ WORKLORE_DATA: '/proc/nope' }, unusable('/proc/nope')],
      [{ WORKLORE_DATA: '/proc/nope/below' }, unusable('/proc/nope/below')],
      [
        { ...ofStore, WORKLORE_DATA: '/proc/nope' },
        engine.name === 'sqlite'
          ? unusable('/proc/nope')
          : '/proc/nope/secret.key could not be written. Set WORKLORE_SECRET_KEY, or make the folder writable.\n',
      ],
    ]
    for (const [settings, message] of attempts) {
      const { child, ended } = startProgram(['serve'], { ...settings, PORT: '0', LOG_LEVEL: 'error' })
      const overdue = setTimeout(() => child.kill('SIGKILL'), 120_000)
      const { code, stdout, stderr } = await ended
      clearTimeout(overdue)
      assert.deepEqual([code, stdout, stderr], [1, '', message])
    }
  })

  it('names what its user may not use, and says what to do', { skip: !canRunUnprivileged() }, async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    test.after(() => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o755)
    const dataDirWith = (name: string, mode: number, file?: string, fileMode = 0o000): string => {
      const dataDir = join(folder, name)
      mkdirSync(dataDir)
      if (file !== undefined) {
        writeFileSync(join(dataDir, file), '')
        giveToUnprivileged(join(dataDir, file), fileMode)
      }
      giveToUnprivileged(dataDir, mode)
      return dataDir
    }
    const closed = dataDirWith('closed', 0o500)
    const below = join(closed, 'below')
    const unlockable = dataDirWith('unlockable', 0o700, 'serving.lock')
    const readOnly = dataDirWith('read-only', 0o700, 'serving.lock', 0o400)
    const keyless = dataDirWith('keyless', 0o700, 'secret.key')
    const mayNotUse = (dataDir: string): string =>
      `Cannot use ${dataDir} as the data folder: permission denied. Make it writable for the user of the service, or set WORKLORE_DATA to another one.\n`
    const notLockable = (dataDir: string): string =>
      `Cannot use ${dataDir}/serving.lock to lock the data folder: permission denied. Make it writable for the user of the service, or set WORKLORE_DATA to another folder.\n`
    const attempts: [words: string[], dataDir: string, message: string][] = [
      [['serve'], closed, mayNotUse(closed)],
      [['migrate'], closed, mayNotUse(closed)],
      [['serve'], below, mayNotUse(below)],
      [['serve'], unlockable, notLockable(unlockable)],
      [['serve'], readOnly, notLockable(readOnly)],
      [
        ['serve'],
        keyless,
        `${keyless}/secret.key must be readable by the user of the service: chown it to that user, or set WORKLORE_SECRET_KEY to the key in it\n`,
      ],
    ]
    for (const [words, dataDir, message] of attempts) {
      const settings = { WORKLORE_DATA: dataDir, PORT: '0', LOG_LEVEL: 'error' }
      const { code, stdout, stderr } = await runProgram(words, settings, unprivilegedUser())
      assert.deepEqual([code, stdout, stderr], [1, '', message])
    }
  })

  it('names a key file that holds no key', async (test) => {
    const store = await engines[0]!.createStore()
    test.after(() => store.remove())
    const file = join(store.dataDir, 'secret.key')
    writeFileSync(file, 'no key', { mode: 0o600 })
    const settings = { WORKLORE_DATA: store.dataDir, PORT: '0', LOG_LEVEL: 'error' }
    const { code, stderr } = await runProgram(['serve'], settings)
    assert.equal(code, 1)
    assert.ok(stderr.startsWith(`${file} must be 32 bytes in base64 or hex`), stderr)
  })

  it('names a data folder or a database file that cannot be used', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
    test.after(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'file'), 'no folder')
    writeFileSync(join(folder, 'worklore.db'), 'no database'.repeat(100))
    const unusable: [dataDir: string, message: RegExp][] = [
      [join(folder, 'file'), /Cannot use \S+file as the data folder: it is a file\. Set WORKLORE_DATA/],
      [join(folder, 'file', 'below'), /Cannot use \S+below as the data folder: \S+file is a file\. Set WORKLORE_DATA/],
      [folder, /Cannot open the database \S+worklore\.db: file is not a database/],
    ]
    for (const [dataDir, message] of unusable) {
      const { code, stdout, stderr } = await runProgram(['serve'], { WORKLORE_DATA: dataDir, PORT: '0' })
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, message)
    }
  })
})
