import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Engine, engines, type TestStore } from 'worklore-testing/engines'
import { inLongRun, quietBoundMs } from 'worklore-testing/long-run'
import { systemClock } from '../../base/clock.js'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import type { Db } from '../../db/port.js'
import type { Call } from '../../operations/call.js'
import { operatorCall } from '../../operations/call.js'
import { deleteProject } from '../../recovery/deletions/project.js'
import { createProject } from '../../tenancy/projects/service.js'
import { createTenant } from '../../tenancy/tenants/service.js'
import type { KnowledgeHit } from '../../work/knowledge/schema.js'
import { deleteItem, putItem } from '../../work/knowledge/service.js'
import { deleteTask } from '../../work/tasks/delete.js'
import { type FilterValues, indexFilter } from '../../work/tasks/lists/filters.js'
import { createTask, updateTask } from '../../work/tasks/service.js'
import { type OpenSearchOptions, openSearchEngine } from './engine.js'
import { readSnapshot, writeSnapshot } from './snapshot-store.js'

interface KnowledgeSearch {
  text: string
  /** Null is all. */
  scopes: string[] | null
  prefix?: string
  limit: number
  minScore?: number
}

/** An engine that searches by words, its hits alone. */
const openWordEngine = (options: OpenSearchOptions) => {
  const engine = openSearchEngine(options)
  return {
    ...engine,
    searchTasks: async (tenantId: string, text: string, filters: FilterValues) => {
      const filter = indexFilter(filters)
      const { hits } = await engine.search(tenantId, { collection: 'task', text, filter, top: 300, from: 0, to: 300 })
      return hits.map(({ ref, ...hit }) => ({ id: ref, ...hit }))
    },
    searchKnowledge: async (tenantId: string, { text, scopes, prefix, limit, minScore }: KnowledgeSearch) => {
      const { hits } = await engine.search(tenantId, {
        collection: 'knowledge',
        text,
        filter: { ...(scopes && { scopes }), ...(prefix && { refPrefix: prefix }) },
        top: limit,
        from: 0,
        to: limit,
        minScore,
        isRendered: true,
      })
      return hits.map((hit) => JSON.parse(hit) as KnowledgeHit)
    },
  }
}
type SearchEngine = ReturnType<typeof openWordEngine>

interface Bench {
  store: TestStore
  db: Db
  call: Call
  tenantId: string
  newTenant(name: string): Promise<Call>
  openEngine(options?: { memoryBytes?: number; minSnapshotDocuments?: number; maxWaitMs?: number }): SearchEngine
  stop(): Promise<void>
}

const openBench = async (engine: Engine): Promise<Bench> => {
  const store = await engine.createPreparedStore()
  const db = await openDb(store)
  await migrate(db)
  const opened: SearchEngine[] = []
  const newTenant = async (name: string) => {
    const { tenant } = await createTenant(db, systemClock, { name, plan: 'self-hosted' })
    return operatorCall(db, systemClock, tenant.id)
  }
  const call = await newTenant('first')
  return {
    store,
    db,
    call,
    tenantId: call.actor.tenantId,
    newTenant,
    openEngine: (options = {}) => {
      const search = openWordEngine({ store, memoryBytes: 64 * 1_048_576, maxWaitMs: 240_000, ...options })
      opened.push(search)
      return search
    },
    stop: async () => {
      for (const search of opened) await search.close()
      await db.close()
      await store.remove()
    },
  }
}

const put = (call: Call, key: string, content: string, projectId?: string) =>
  putItem(call, key, { content, ...(projectId && { projectId }) }, {})

const everywhere: FilterValues = {}

const TOPICS = ['deploy', 'rollback', 'database', 'migration', 'billing', 'invoice', 'login', 'search', '検索', 'café']

const fillWithNotes = async (call: Call, count: number) => {
  for (let at = 0; at < count; at++) {
    const [first, second, third] = [TOPICS[at % 10], TOPICS[(at * 3) % 7], TOPICS[(at * 7) % 9]]
    await put(call, `notes/${at}`, `${first} and ${second}\n\nAbout ${third}, ${'again '.repeat(at % 4)}${first}.`)
  }
}

for (const engine of engines) {
  describe(`the search engine on ${engine.name}`, () => {
    let bench: Bench
    let search: SearchEngine
    before(async () => {
      bench = await openBench(engine)
      search = bench.openEngine()
    })
    after(() => bench.stop())

    const keys = async (text: string, scopes: string[] | null = null, call = bench.call) => {
      const found = await search.searchKnowledge(call.actor.tenantId, { text, scopes, limit: 10 })
      return found.map(({ key }) => key)
    }
    const ids = async (text: string, filters = everywhere) => {
      const found = await search.searchTasks(bench.tenantId, text, filters)
      return found.map(({ id }) => id)
    }

    it('finds an item in the first search after its write, its change and its removal', async () => {
      assert.deepEqual(await keys('zeppelin'), [])
      await put(bench.call, 'air/ships', '# Airships\n\nThe zeppelin & its <hangar>.')
      const [hit] = await search.searchKnowledge(bench.tenantId, { text: 'zeppelins?', scopes: null, limit: 10 })
      assert.equal(hit?.key, 'air/ships')
      assert.equal(hit?.projectId, null)
      assert.equal(hit?.snippet, '# Airships\n\nThe <mark>zeppelin</mark> &amp; its &lt;hangar&gt;.')
      assert.equal(hit?.content, '# Airships\n\nThe zeppelin & its <hangar>.')
      assert.ok(hit.score > 0 && hit.score < 1)

      await put(bench.call, 'air/ships', 'A balloon.')
      assert.deepEqual(await keys('zeppelin'), [])
      assert.deepEqual(await keys('balloon'), ['air/ships'])
      await deleteItem(bench.call, 'air/ships', undefined, {})
      assert.deepEqual(await keys('balloon'), [])
    })

    it('finds an exact key first, whatever it says', async () => {
      await put(bench.call, 'guides/setup', 'Nothing of note.')
      await put(bench.call, 'other', 'guides setup guides setup guides setup')
      const [first, second] = await search.searchKnowledge(bench.tenantId, {
        text: 'guides/setup',
        scopes: null,
        limit: 10,
      })
      assert.equal(first?.key, 'guides/setup')
      assert.equal(first?.score, 1)
      assert.equal(second?.key, 'other')
      assert.deepEqual(
        await search.searchKnowledge(bench.tenantId, {
          text: 'setup',
          scopes: null,
          limit: 10,
          prefix: 'gui',
          minScore: 2,
        }),
        [],
      )
    })

    it('holds to phrases and exclusions', async () => {
      await put(bench.call, 'p/1', 'The blue-green way to deploy')
      await put(bench.call, 'p/2', 'A green way, not blue')
      assert.deepEqual(await keys('"blue green" way'), ['p/1'])
      assert.deepEqual(await keys('green -deploy'), ['p/2'])
      assert.deepEqual(await keys('green -"not blue"'), ['p/1'])
    })

    it('finds tasks by words and filters, and forgets a project with all it held', async () => {
      const project = await createProject(bench.call, { key: 'ACME', name: 'Acme' })
      const other = await createProject(bench.call, { key: 'OTHER', name: 'Other' })
      const task = async (projectId: string, title: string, more: object = {}) =>
        (await createTask(bench.call, { projectId, title, ...more })).id
      const login = await task('ACME', 'Login redirect loops', { labels: ['bug'], dueDate: '2026-01-31' })
      const form = await task('ACME', 'Polish the login form', { status: 'done', priority: 'high' })
      const elsewhere = await task('OTHER', 'Login page', { description: 'redirect' })
      await put(bench.call, 'acme/login', 'Login notes', 'ACME')

      assert.deepEqual(await ids('login redirect'), [login, elsewhere, form])
      assert.deepEqual(await ids('login', { projectId: [other.id] }), [elsewhere])
      assert.deepEqual(await ids('login', { status: { categories: ['done', 'cancelled'] } }), [form])
      assert.deepEqual(await ids('login', { priority: [2] }), [form])
      assert.deepEqual(await ids('login', { label: ['bug', 'none'] }), [login])
      assert.deepEqual(await ids('login', { assignee: ['usr_nobody'] }), [])
      assert.equal((await ids('login', { assignee: ['none'] })).length, 3)
      assert.deepEqual(await ids('login', { dueBefore: Date.parse('2026-02-01') }), [login])
      assert.deepEqual(await ids('login', { updatedAfter: Date.now() + 60_000 }), [])
      assert.equal((await ids('acme-2'))[0], form)

      await updateTask(bench.call, form, { title: 'Polish the entry form', status: 'todo' }, {})
      assert.deepEqual((await ids('login form', { status: { categories: ['todo'] } })).toSorted(), [
        login,
        form,
        elsewhere,
      ])
      await deleteTask(bench.call, elsewhere, false, {})
      assert.deepEqual(await ids('page'), [])

      assert.deepEqual(await keys('login notes', [project.id]), ['acme/login'])
      await deleteProject(bench.call, 'ACME', true, {})
      assert.deepEqual(await ids('login'), [])
      assert.deepEqual(await keys('login'), [])
    })

    it('shows nothing of another tenant', async () => {
      const second = await bench.newTenant('second')
      await put(second, 'secret', 'Xylophone')
      assert.deepEqual(await keys('xylophone'), [])
      assert.deepEqual(await keys('xylophone', null, second), ['secret'])
      assert.deepEqual(await keys('xylophone', null, operatorCall(bench.db, systemClock, 'ten_none')), [])
    })

    it('takes any input, at once', async () => {
      await keys('warm')
      const rounds = inLongRun(30, 150)
      const startedAt = performance.now()
      for (let round = 0; round < rounds; round++) {
        const length = 1 + Math.floor(Math.random() * 1500)
        const units = Array.from({ length }, () => Math.random() * (round % 2 ? 65_536 : 128))
        const text = String.fromCharCode(...units)
        await keys(text)
        await ids(text)
      }
      // The mean, for other tests may take the processor away from any one of them.
      assert.ok((performance.now() - startedAt) / rounds / 2 < quietBoundMs(50))
    })

    it('has a whole snapshot after two nodes have written theirs side by side', async () => {
      const { tenantId } = (await bench.newTenant('two-writers')).actor
      const bytes = new Uint8Array(1_000_000)
      for (const sequences of [
        [7, 7],
        [8, 9],
        [11, 10],
      ] as const) {
        await Promise.all(sequences.map((sequence) => writeSnapshot(bench.db, tenantId, { sequence, bytes })))
        const read = await readSnapshot(bench.db, tenantId)
        assert.equal(read?.sequence, Math.max(...sequences))
        assert.equal(read?.bytes.length, bytes.length)
      }
    })

    it('comes back from its snapshot and what the log says since', async () => {
      const call = await bench.newTenant('snapshots')
      const { tenantId } = call.actor
      await fillWithNotes(call, 40)
      const first = bench.openEngine({ minSnapshotDocuments: 10 })
      const look = (from: SearchEngine, text: string) =>
        from.searchKnowledge(tenantId, { text, scopes: null, limit: 10 })
      const before = await look(first, 'deploy database')
      await first.close()
      assert.ok(await readSnapshot(bench.db, tenantId))

      const second = bench.openEngine({ minSnapshotDocuments: 10 })
      assert.deepEqual(await look(second, 'deploy database'), before)
      await second.close()
      await put(call, 'new', 'Written while nobody searched: gyroscope')
      await deleteItem(call, before[0]!.key, undefined, {})
      const third = bench.openEngine({ minSnapshotDocuments: 10 })
      assert.deepEqual(
        (await look(third, 'gyroscope')).map(({ key }) => key),
        ['new'],
      )
      assert.ok(!(await look(third, 'deploy database')).some(({ key }) => key === before[0]!.key))

      // A log trimmed past the snapshot, and a damaged snapshot, both mean building anew.
      await bench.db.run('delete from events where tenant_id = ?', [tenantId])
      const fourth = bench.openEngine({ minSnapshotDocuments: 10 })
      assert.deepEqual(
        (await look(fourth, 'gyroscope')).map(({ key }) => key),
        ['new'],
      )
      await fourth.close()
      await bench.db.run('update search_snapshots set data = ? where tenant_id = ?', [new Uint8Array(64), tenantId])
      assert.deepEqual(
        (await look(bench.openEngine(), 'gyroscope')).map(({ key }) => key),
        ['new'],
      )
    })

    it('lets the longest idle tenant leave when memory is short, and takes it back', async () => {
      const small = bench.openEngine({ memoryBytes: 1 })
      const calls = [await bench.newTenant('idle one'), await bench.newTenant('idle two')]
      for (const call of calls) await put(call, 'k', `pelican ${call.actor.tenantId}`)
      for (const { actor } of [...calls, ...calls]) {
        const found = await small.searchKnowledge(actor.tenantId, { text: 'pelican', scopes: null, limit: 5 })
        assert.equal(found[0]!.content, `pelican ${actor.tenantId}`)
        assert.equal((await small.stats()).tenants, 1)
      }
    })

    it('says 503 where the index takes too long', async () => {
      const hasty = bench.openEngine({ maxWaitMs: 1 })
      await assert.rejects(hasty.searchKnowledge(bench.tenantId, { text: 'x', scopes: null, limit: 1 }), {
        code: 'SERVICE_UNAVAILABLE',
      })
    })
  })
}

describe('search when its worker dies', () => {
  it('says 503, and works again once the cause is gone', async () => {
    const [sqlite] = engines
    const bench = await openBench(sqlite!)
    await put(bench.call, 'k', 'phoenix')
    const dataDir = `${bench.store.dataDir}-moved`
    writeFileSync(dataDir, 'not a folder')
    const problems: string[] = []
    const search = openWordEngine({
      store: { ...bench.store, dataDir },
      memoryBytes: 1_048_576,
      onProblem: (message) => problems.push(message),
      maxWaitMs: 120_000,
    })
    const look = () => search.searchKnowledge(bench.tenantId, { text: 'phoenix', scopes: null, limit: 1 })
    await assert.rejects(look(), { code: 'SERVICE_UNAVAILABLE' })
    assert.match(problems[0] ?? '', /worker died/)
    rmSync(dataDir)
    symlinkSync(bench.store.dataDir, dataDir)
    assert.equal((await look())[0]?.key, 'k')
    await search.close()
    await assert.rejects(look(), { code: 'SERVICE_UNAVAILABLE' })
    rmSync(dataDir)
    await bench.stop()
  })
})

describe('search on both engines', () => {
  it('answers the same ten, with the same scores', async () => {
    const answers: unknown[] = []
    for (const engine of engines) {
      const bench = await openBench(engine)
      await fillWithNotes(bench.call, 60)
      await put(bench.call, 'notes/5', 'A change to the invoice of the search')
      const search = bench.openEngine()
      const found = []
      for (const text of ['deploy', 'database migraton', 'login invo', '検索', 'cafe -billing', '"and rollback"']) {
        const hits = await search.searchKnowledge(bench.tenantId, { text, scopes: null, limit: 10 })
        found.push(hits.map(({ key, score, snippet }) => ({ key, score, snippet })))
      }
      answers.push(found)
      await bench.stop()
    }
    assert.ok((answers[0] as unknown[][]).every((hits) => hits.length > 0))
    assert.deepEqual(answers[0], answers[1])
  })
})
