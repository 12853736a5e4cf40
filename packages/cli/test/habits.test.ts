import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { createKey, createProject, createTask, createUser, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'
import { program, userFor } from './wl.js'

const profilesOf = (env: Record<string, string>): string => join(env.XDG_CONFIG_HOME!, 'worklore/profiles.json')

/** A server that answers every request alike. */
const startServer = async (test: TestContext, status: number, body: string): Promise<string> => {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  test.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Where nobody listens. */
const unusedAddress = async (): Promise<string> => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

describe('the habits of wl', { concurrency: 2 }, () => {
  let service: TestService
  before(async () => {
    service = await startService(engines[0]!)
    await createProject(service, { key: 'HABIT' })
    await createTask(service, 'HABIT', { title: 'Escape \u001b[31mred\u0007 and\ttab' })
    await createProject(service, { key: 'LOGGED' })
    await createTask(service, 'LOGGED')
  })
  after(() => service.stop())

  it('ends with one line and a code that tells what went wrong', async (test) => {
    const user = userFor(test, service)
    const [away, page, other, read] = await Promise.all([
      unusedAddress(),
      startServer(test, 200, '<h1>Hello</h1>'),
      startServer(test, 404, '{"message":"Not Found"}'),
      createKey(service, { scopes: ['tasks:read'] }),
    ])
    const expected: [words: string[], env: Record<string, string>, code: number, line: RegExp][] = [
      [['shwo', 'X'], {}, 2, /^unknown command "shwo"\. Did you mean show\?$/],
      [['sl'], {}, 2, /^unknown command "sl"\. Did you mean ls\?$/],
      [['notse', 'ls'], {}, 2, /^unknown command "notse"\. Did you mean notes\?$/],
      [['review'], {}, 2, /^wl review is now wl submit\.$/],
      [['accept', 'A-1'], {}, 2, /^wl accept is now wl accept-stale\.$/],
      [['resources'], {}, 2, /^wl resources is now wl reservations\.$/],
      [['note', 'ls'], {}, 2, /^wl note ls is now wl notes\.$/],
      [['note', 'accept', 'x'], {}, 2, /^wl note accept is now wl note accept-stale\.$/],
      [['keys', 'revoke', 'key_x'], {}, 2, /^wl keys revoke is now wl keys rm\.$/],
      [['users', 'erase', 'ada'], {}, 2, /^wl users erase is now wl users rm --erase\.$/],
      [['trash', 'empty'], {}, 2, /^wl trash empty is now wl trash rm --all\.$/],
      [['done', 'A-1', '--claim', 'A-1.1'], {}, 2, /^--claim is now --claim-token\.$/],
      [['whoami', '--field', 'plan', '--json'], {}, 2, /^--json, --quiet and --field cannot be combined\.$/],
      [['whoami', '--field', 'paln'], {}, 2, /^--field paln: there is no such field\. Use one of tenant, key, /],
      [['api', 'FETCH', '/v1/me'], {}, 2, /^METHOD must be one of GET, POST/],
      [['api', 'GET', 'v1/me'], {}, 2, /^PATH must begin with a slash/],
      [['api', 'POST', '/v1/projects', '-d', '{'], {}, 2, /^--data must be JSON: /],
      [['api', 'GET', '/v1/tasks/NO-1'], {}, 3, /NO-1.* not found/],
      [['block', 'HABIT-1', 'HABIT-1'], {}, 2, /^HABIT-1 cannot block itself\.$/],
      [['mv', 'HABIT-1', '--project', 'NOPE'], {}, 3, /^Project "NOPE" not found/],
      [['note', 'gte', 'x'], {}, 2, /^unknown command "note gte"\. Did you mean note get\?$/],
      [['note'], {}, 2, /^incomplete command "note"\. Use wl note get, /],
      [['ls', '--stauts', 'todo'], {}, 2, /^Unknown option --stauts\. Did you mean --status\?$/],
      [['-p', 'HABIT', 'shwo', 'A-1'], {}, 2, /^unknown command "shwo"\. Did you mean show\?$/],
      [['-p', 'HABIT', '--jsno', 'ls'], {}, 2, /^Unknown option --jsno\. Did you mean --json\?$/],
      [['ls', '--xyzzyx'], {}, 2, /^Unknown option --xyzzyx\. Run wl ls --help for the options\.$/],
      [['ls', '--status'], {}, 2, /^Option '-s, --status <value>' argument missing\.$/],
      [['show', 'A-1', 'B-2'], {}, 2, /^wl show does not take "B-2"\. Usage: wl show \[ID\] /],
      [['claim'], {}, 2, /^wl claim needs more arguments\. Usage: wl claim ID /],
      [['ls', '--status', 'new'], {}, 2, /status.*must be one of/],
      [
        ['comment', 'HABIT-1', '-m', '- one'],
        {},
        2,
        /'-m' argument is ambiguous\. .* use '--message=-XYZ' or '-m-XYZ'\.$/,
      ],
      [
        ['add', 'x', '-p', 'HABIT', '--not-before', '999999999d'],
        {},
        2,
        /^--not-before must be a length of time such as 20m/,
      ],
      [['next', '--wait', 'soon'], {}, 2, /^--wait must be a length of time such as 90s, 20m, 2h or 3d\.$/],
      [['edit', 'HABIT-1'], {}, 2, /^Say what to change: see wl edit --help\./],
      [['comment', 'HABIT-1'], {}, 2, /^Say what to comment with -m TEXT/],
      [['login'], {}, 2, /^Give the key on standard input: /],
      [['ls', '-p', 'ZZZ'], {}, 3, /^Project "ZZZ" not found\.$/],
      [['add', 'x'], { WORKLORE_PROJECT: 'ZZZ' }, 3, /^Project "ZZZ" not found \(set by WORKLORE_PROJECT\)\.$/],
      [['show', 'HABIT-99'], {}, 3, /^Task "HABIT-99" not found/],
      [['whoami'], { WORKLORE_KEY: 'wrong' }, 4, /Run wl login, or set WORKLORE_KEY\.$/],
      [['whoami'], { WORKLORE_KEY: '' }, 4, /^No API key for http:.* Run wl login, or set WORKLORE_KEY\.$/],
      [['add', 'x', '-p', 'HABIT'], { WORKLORE_KEY: read.key }, 4, /tasks:write/],
      [
        ['ls'],
        { WORKLORE_URL: away },
        6,
        /^Cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.* Check the address and that the service runs\.$/,
      ],
      [['ls'], { WORKLORE_URL: 'nonsense' }, 2, /^"nonsense" is not an http or https URL/],
      [['ls'], { WORKLORE_URL: page }, 6, /did not answer with JSON: it is not a Worklore server\.$/],
      [
        ['ls'],
        { WORKLORE_URL: other },
        1,
        /does not support this command: it is older than wl, or not a Worklore server\.$/,
      ],
    ]
    const large = await user.run(['note', 'put', 'large', '-'], { input: 'x'.repeat(2 ** 20 + 1) })
    assert.deepEqual([large.code, /^wl: The content exceeds 1 MiB/.test(large.stderr)], [2, true])
    // A length without a unit is one of seconds.
    const waited = await user.run(['next', '-p', 'HABIT', '--label', 'none', '--wait', '1'])
    assert.deepEqual([waited.code, /^No task is ready/.test(waited.stderr)], [3, true], waited.stderr)
    const check = async ([words, env, code, line]: (typeof expected)[number]): Promise<void> => {
      const outcome = await user.run(words, { env })
      const what = `wl ${words.join(' ')}: ${outcome.stderr}`
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''], what)
      assert.match(outcome.stderr, /^wl: [^\n]+\n$/, what)
      assert.match(outcome.stderr.slice('wl: '.length, -1), line, what)
    }
    for (let at = 0; at < expected.length; at += 6) await Promise.all(expected.slice(at, at + 6).map(check))
  })

  it('takes settings from flags, the environment, the repository and the profile, in this order', async (test) => {
    const user = userFor(test, service)
    const key = (await createKey(service, { name: 'the profile', scopes: ['tasks:read'] })).key
    const bare = { WORKLORE_URL: '', WORKLORE_KEY: '' }
    const login = await user.run(['login', '--url', `${service.baseUrl}/`, '--api-key', '-', '-p', 'PROFILE'], {
      env: bare,
      input: `${key}\n`,
    })
    assert.equal(login.code, 0, login.stderr)
    assert.equal(statSync(profilesOf(user.env)).mode & 0o777, 0o600)
    const state = async (words: string[], env: Record<string, string>, cwd = user.folder) => {
      const { code, stdout, stderr } = await user.run(['whoami', ...words], { env, cwd })
      if (code !== 0) return [code, stderr]
      const fields = Object.fromEntries(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split('\t')),
      )
      return [fields.key.replace(/ \(.*/, ''), fields.project]
    }
    const inside = join(user.folder, 'inside/deep')
    mkdirSync(inside, { recursive: true })
    const settings = (value: object) => writeFileSync(join(user.folder, 'inside/.worklore.json'), JSON.stringify(value))
    assert.deepEqual(await state([], bare), ['the profile', 'PROFILE'])
    settings({ project: 'REPO', url: service.baseUrl })
    assert.deepEqual(await state([], bare, inside), ['the profile', 'REPO'])
    assert.deepEqual(await state([], { ...bare, WORKLORE_PROJECT: 'ENV', WORKLORE_KEY: service.adminKey }, inside), [
      'admin',
      'ENV',
    ])
    assert.deepEqual(await state(['-p', 'FLAG', '--api-key', key], { WORKLORE_PROJECT: 'ENV' }, inside), [
      'the profile',
      'FLAG',
    ])
    assert.deepEqual(await state(['--profile', 'default'], {}), ['the profile', 'PROFILE'])
    assert.deepEqual(await state(['--profile', 'defualt'], {}), [
      2,
      'wl: Profile "defualt" not found. Did you mean default?\n',
    ])
    settings({ project: 'NOPE', url: service.baseUrl })
    const { stderr: unknownProject } = await user.run(['ls'], { cwd: inside })
    assert.equal(unknownProject, 'wl: Project "NOPE" not found (set by .worklore.json).\n')

    // Whoever wrote the repository does not get a key.
    settings({ url: 'https://evil.example' })
    for (const env of [bare, { ...bare, WORKLORE_KEY: service.adminKey }]) {
      const [code, stderr] = await state([], env, inside)
      assert.equal(code, 4)
      assert.match(
        String(stderr),
        /^wl: \.worklore\.json names the server https:\/\/evil\.example, which has no profile yet\./,
      )
    }
    const elsewhere = await startServer(test, 500, '{}')
    const [code, stderr] = await state(['--url', elsewhere], bare)
    assert.deepEqual([code, stderr], [4, `wl: No API key for ${elsewhere}. Run wl login, or set WORKLORE_KEY.\n`])
    settings({ apiKey: key })
    assert.match(String((await state([], bare, inside))[1]), /must not contain a key/)
  })

  it('logs in at the address that is its argument', async (test) => {
    const user = userFor(test, service)
    const env = { WORKLORE_URL: '', WORKLORE_KEY: '' }
    const login = { env, input: service.adminKey }
    assert.equal((await user.run(['login', service.baseUrl, '--api-key', '-'], login)).code, 0)
    assert.equal((await user.run(['whoami', '--field', 'key.name'], { env })).stdout, 'admin\n')
    const twice = await user.run(['login', service.baseUrl, '--url', service.baseUrl, '--api-key', '-'], login)
    assert.deepEqual([twice.code, twice.stderr], [2, 'wl: Give the address once.\n'])
  })

  it('prints single fields, and sends any request', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'PICK', name: 'Picking' })
    for (const title of ['First', 'Second']) await createTask(service, 'PICK', { title, labels: ['a', 'b'] })
    assert.equal(await user.wl('show', 'PICK-1', '--field', 'createdBy.keyName'), 'admin\n')
    assert.equal(await user.wl('show', 'PICK-1', '--field', 'labels'), 'a\nb\n')
    assert.equal(await user.wl('show', 'PICK-1', '--field', 'labels.1', '--field', 'assignee'), 'b\tnull\n')
    const titles = await user.wl('ls', '-p', 'PICK', '--sort', 'createdAt', '--field', 'id', '--field', 'title')
    assert.equal(titles, 'PICK-1\tFirst\nPICK-2\tSecond\n')
    assert.equal(await user.wl('ls', '-p', 'PICK', '--field', '.pagination.hasMore'), 'false\n')
    assert.equal(await user.wl('ls', '-p', 'PICK', '--sort', 'createdAt', '--field', '.data.id'), 'PICK-1\nPICK-2\n')
    assert.equal(await user.wl('api', 'GET', '/v1/projects/PICK', '--field', 'name'), 'Picking\n')
    const change = ['api', 'patch', '/v1/tasks/PICK-1', '-d', '-', '-H', 'If-Match: "1"', '--field', 'version']
    assert.equal((await user.run(change, { input: '{"priority":"high"}' })).stdout, '2\n')
    assert.equal((await user.run(change, { input: '{"priority":"low"}' })).code, 5)
    const { data } = JSON.parse(await user.wl('api', 'GET', '/v1/tasks?projectId=PICK&priority=high'))
    assert.deepEqual([data.length, data[0].id], [1, 'PICK-1'])
  })

  it('stores no profile with a key that does not work', async (test) => {
    const user = userFor(test, service)
    const { code, stderr } = await user.run(['login', '--url', service.baseUrl, '--api-key', '-'], {
      input: 'wl_live_wrong',
    })
    assert.equal(code, 4)
    assert.match(stderr, /^wl: http:.* did not accept the key: .*\n$/)
    assert.throws(() => readFileSync(profilesOf(user.env)))
  })

  it('lists users, and erases one who is named', async (test) => {
    const user = userFor(test, service)
    const person = await createUser(service, { name: 'Ada Lovelace', email: 'ada@example.com' })
    assert.match(await user.wl('users'), /ada@example\.com\tAda Lovelace/)
    const unsure = await user.run(['users', 'rm', '--erase', 'ada@example.com'])
    assert.equal(unsure.code, 2)
    assert.equal(await user.wl('users', 'rm', '--erase', 'Ada Lovelace', '--yes', '-q'), `${person.id}\n`)
    assert.equal((await service.get(`/v1/users/${person.id}`)).status, 404)
    const erased = () => service.get('/v1/audit?action=user.erased')
    const { body } = await until(erased, ({ body }) => body.data.length > 0)
    assert.equal(body.data[0].subject, person.id)
    assert.equal((await user.run(['users', 'rm', '--erase', person.id, '--yes'])).code, 3)
  })

  it('prints JSON, ids or lines, without what others wrote getting in the way', async (test) => {
    const user = userFor(test, service)
    const [json, ids, lines, empty] = await Promise.all([
      user.json('ls', '-p', 'HABIT'),
      user.wl('ls', '-q', '-p', 'HABIT'),
      user.wl('ls', '-p', 'HABIT'),
      user.run(['ls', '-p', 'HABIT', '--label', 'none-such']),
    ])
    const { body } = await service.get('/v1/tasks?projectId=HABIT&status=todo,in_progress,in_review&limit=50')
    assert.deepEqual(json, body)
    assert.equal(ids, 'HABIT-1\n')
    assert.equal(lines, 'HABIT-1\ttodo\tmedium\t\t\tEscape \ufffd[31mred\ufffd and tab\n')
    assert.deepEqual(empty, { code: 0, stdout: '', stderr: '' })
  })

  it('ends quietly when its reader has enough, and says when its output cannot be written', async (test) => {
    const user = userFor(test, service)
    const shell = (line: string): Promise<{ code: number; stderr: string; stdout: string }> =>
      new Promise((resolve) => {
        execFile('sh', ['-c', line], { env: { ...user.env, WL: program }, cwd: user.folder }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        )
      })
    const node = process.execPath
    // More than a pipe holds, so that the writer meets the end of its reader.
    await Promise.all(Array.from({ length: 10 }, (_, at) => putItem(service, `habit/${at}`, 'x'.repeat(100_000))))
    const [full, head, exported, slow] = await Promise.all([
      shell(`${node} "$WL" ls -p HABIT > /dev/full`),
      shell(`{ ${node} "$WL" --help; echo "code $?" >&2; } | head -1`),
      shell(`{ ${node} "$WL" export -; echo "code $?" >&2; } | head -1`),
      shell(`${node} "$WL" export - | { sleep 1; wc -l; }`),
    ])
    assert.deepEqual([full.code, full.stderr], [1, 'wl: Cannot write the output: no space left on device.\n'])
    assert.deepEqual([head.stdout.split(':')[0], head.stderr], ['wl 0.1.0', 'code 0\n'])
    assert.deepEqual([JSON.parse(exported.stdout).kind, exported.stderr], ['export', 'code 0\n'])
    assert.match(slow.stderr, /^Exported \d+ tasks?, 10 notes, \d+ projects to -\.\n$/)
    assert.ok(Number(slow.stdout) >= 13, slow.stdout)
  })

  it('follows the log', async (test) => {
    const user = userFor(test, service)
    const { child, ended } = user.start(['log', '--follow', '-n', '1', '-t', 'task.*', '-p', 'LOGGED'])
    let printed = ''
    let isCreated = false
    const seen = new Promise<void>((resolve) => {
      child.stdout!.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('\ttask.created\tLOGGED-1\t') && !isCreated) {
          isCreated = true
          void createTask(service, 'LOGGED', { title: 'live' })
        }
        if (printed.includes('\tlive\n')) resolve()
      })
    })
    await Promise.race([seen, ended])
    child.kill('SIGINT')
    await ended
    assert.match(printed, /\d+\t\S+Z\ttask\.created\tLOGGED-2\tadmin \(http\)\tlive\n$/)
  })
})
