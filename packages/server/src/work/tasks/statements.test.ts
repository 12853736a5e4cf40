import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { encodeCursor, listFingerprint } from '../../base/paging.js'
import { onlyProjectOf } from '../../base/project-set.js'
import { eventTypes } from '../../changelog/event-types.js'
import { migrate } from '../../db/migrate.js'
import { openDb } from '../../db/open.js'
import { type Db, maxPreparedStatements } from '../../db/port.js'
import { type Call, ownOrigin } from '../../operations/call.js'
import { listEvents } from '../../subscribers/events/log-store.js'
import { createProject } from '../../tenancy/projects/service.js'
import { categories as statuses } from '../../tenancy/projects/statuses.js'
import { listProjects } from '../../tenancy/projects/store.js'
import { trusts } from '../knowledge/fields.js'
import { listItems, listLengths } from '../knowledge/list-store.js'
import { states } from '../knowledge/schema.js'
import { priorities } from './fields.js'
import { resolveFilters } from './lists/filters.js'
import { listTasks } from './lists/list.js'
import { countTasks } from './lists/list-store.js'
import type { Sort, TaskList } from './schema.js'
import { createTask, updateTask } from './service.js'

/** Of task lists, whatever their filters; with those of everything else they stay below what is kept prepared. */
const maxTextsOfTaskLists = 480
const maxTextsOfOtherLists = 60

const sorts = ['createdAt', 'updatedAt', 'priority', 'dueDate', 'rank'].flatMap((sort) => [sort, `-${sort}`]) as Sort[]

for (const engine of engines) {
  describe(`statements on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    const texts = new Set<string>()
    const random = randomFrom(5)
    const below = (limit: number): number => Math.floor(random() * limit)
    const some = <T>(values: readonly T[], most: number): T[] =>
      Array.from({ length: 1 + below(most) }, () => values[below(values.length)]!)
    const projectKeys = Array.from({ length: 12 }, (_, at) => `PRO${at}`)
    let projectIds: string[]

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, { observe: (text) => texts.add(text) })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'key_1', keyName: '', userId: null, projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      for (const key of projectKeys) await createProject(call, { key, name: key })
      projectIds = (await listProjects(db, 'ten_1', null, undefined, 100)).map(({ project }) => project.id)
      texts.clear()
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const randomQuery = (): TaskList => {
      const words = (prefix: string) =>
        some(
          Array.from({ length: 60 }, (_, at) => `${prefix}${at}`),
          50,
        )
      const query: TaskList = {}
      const density = random() * 0.6
      const sometimes = (set: () => void): void => void (random() < density && set())
      sometimes(() => (query.projectId = some(projectKeys, 12)))
      sometimes(() => (query.projectId = [projectKeys[below(12)]!]))
      sometimes(() => (query.status = some(statuses, 5)))
      sometimes(() => (query.status = [statuses[below(5)]!]))
      sometimes(() => (query.assignee = random() < 0.5 ? words('usr_') : [`usr_${below(9)}`]))
      sometimes(() => (query.assignee = random() < 0.5 ? ['none'] : ['none', ...words('usr_')]))
      sometimes(() => (query.priority = some(priorities, 4)))
      sometimes(() => (query.label = random() < 0.5 ? words('label') : [`label${below(9)}`]))
      sometimes(() => (query.dueBefore = '2030-01-01'))
      sometimes(() => (query.dueAfter = '2020-01-01'))
      sometimes(() => (query.updatedAfter = '2020-01-01'))
      sometimes(() => (query.total = 'exact'))
      query.sort = sorts[below(sorts.length)]!
      query.limit = 1 + below(100)
      return query
    }

    it('stay few, whatever task lists filter by, and however many values a filter has', async () => {
      const isOfLists = (text: string): boolean => /\bas (positions|category)\b|\) few$/.test(text)
      const list = async (query: TaskList): Promise<void> => {
        const filters = await resolveFilters(call, query)
        const { asker: _, ...values } = filters
        const fingerprint = listFingerprint(['ten_1', 'tasks', query.sort, values])
        const position = onlyProjectOf(filters.projectId ?? null) !== undefined ? [1, 1] : [1, 'prj_1', 1]
        const { total, ...page } = query
        await Promise.all([
          listTasks(call, query),
          listTasks(call, { ...page, cursor: encodeCursor(fingerprint, position) }),
          countTasks(db, 'ten_1', filters),
        ])
      }
      const [queries, fewestTexts] = inLongRun([400, 80], [2_500, 200])
      const atOnce = 10
      for (let count = 0; count < queries; count += atOnce) {
        await Promise.all(Array.from({ length: atOnce }, () => list(randomQuery())))
      }
      const all = [...texts].filter(isOfLists).length
      assert.ok(all > fewestTexts && all <= maxTextsOfTaskLists, `${all} texts`)
      assert.ok(all < maxPreparedStatements)
    })

    it('stay few, however many labels a task has', async () => {
      const { id } = await createTask(call, { projectId: 'PRO1', title: 'Many labels' })
      texts.clear()
      await updateTask(call, id, { labels: ['a'] }, {})
      await updateTask(call, id, { labels: ['b', 'c'] }, {})
      const expected = texts.size
      for (let count = 3; count < 40; count++) {
        const labels = Array.from({ length: count }, (_, at) => `label ${count} ${at} "quoted" \\ {} null`)
        const { json } = await updateTask(call, id, { labels }, {})
        assert.deepEqual(JSON.parse(json).labels, labels)
        for (const sort of ['-createdAt', '-updatedAt'] as const) {
          const { tasks } = await listTasks(call, { label: [labels[1]!, labels[0]!], sort })
          assert.equal(JSON.parse(tasks).length, 1)
        }
      }
      // One page per order, after a count of the labelled tasks.
      const ofLists = 3
      assert.ok(texts.size <= expected + ofLists, `${texts.size} texts`)
    })

    it('stay few in the lists of projects, knowledge and events', async () => {
      texts.clear()
      for (let count = 0; count < inLongRun(300, 1_000); count++) {
        const places = random() < 0.3 ? null : some(projectIds, 12)
        const after = random() < 0.5 ? undefined : (['key', projectIds[0]!] as const)
        await listProjects(db, 'ten_1', places, after && [0, ''], 10)
        const endKey = random() < 0.5 ? undefined : 'z'
        const fromKey = random() < 0.5 ? '' : 'k'
        const filters = {
          tag: random() < 0.7 ? undefined : 'setup',
          trust: random() < 0.7 ? undefined : some(trusts, 1)[0],
          state: random() < 0.7 ? undefined : some(states, 1)[0],
          isStale: random() < 0.7 ? undefined : random() < 0.5,
        }
        const isProjectsOnly = !places && random() < 0.5
        const isContentWanted = random() < 0.5
        const ofPlaces = { projectIds: places, markProjects: places, isProjectsOnly }
        const range = { ...ofPlaces, fromKey, endKey, after, isContentWanted, ...filters }
        await listLengths(db, 'ten_1', range, 10, 0)
        await listItems(db, 'ten_1', { ...range, upTo: ['key', 'z'] }, 0)
        const types = random() < 0.3 ? null : some(eventTypes, 9)
        await listEvents(db, 'ten_1', [0, 100], { types, projectIds: places }, 10)
      }
      assert.ok(texts.size > 20 && texts.size <= maxTextsOfOtherLists, `${texts.size} texts`)
    })
  })
}
