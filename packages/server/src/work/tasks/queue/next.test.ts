import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { inLongRun } from 'worklore-testing/long-run'
import { randomFrom } from 'worklore-testing/random'
import { migrate } from '../../../db/migrate.js'
import { openDb } from '../../../db/open.js'
import type { Db } from '../../../db/port.js'
import { type Call, ownOrigin } from '../../../operations/call.js'
import { createProject } from '../../../tenancy/projects/service.js'
import type { NextRequest } from '../claims/schema.js'
import { claimNext, claimTask, findBefore, peekNext, resolveNext } from '../claims/service.js'
import { priorities } from '../fields.js'
import type { Task } from '../schema.js'
import { createTask } from '../service.js'

const someOf = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

for (const engine of engines) {
  describe(`next with many labels and projects on ${engine.name}`, () => {
    let store: TestStore
    let db: Db
    let call: Call
    let statements: { text: string; isInTransaction: boolean }[] = []
    const projectKeys = someOf(50, (at) => `P${at}`)
    const labels = someOf(50, (at) => `label ${at}`)
    const broad: NextRequest = { projectId: projectKeys, label: labels, priority: ['low', 'urgent'] }

    before(async () => {
      store = await engine.createPreparedStore()
      db = await openDb(store, {
        observe: (text, _durationMs, group) => statements.push({ text, isInTransaction: group !== undefined }),
      })
      await migrate(db)
      await db.run("insert into tenants (tenant_id, name, plan, created_at) values ('ten_1', 'one', 'free', 0)")
      const actor = { keyId: 'operator', keyName: '', userId: 'usr_1', projectIds: null, keyExpiresAt: null }
      call = {
        db,
        clock: Date.now,
        actor: { ...actor, tenantId: 'ten_1', scopes: ['admin'] },
        origin: ownOrigin('test'),
      }
      for (const key of projectKeys) await createProject(call, { key, name: key })
    })
    after(async () => {
      await db.close()
      await store.remove()
    })

    const find = (request: NextRequest): Promise<readonly string[]> => findBefore(call, request)
    const claim = async (request: NextRequest, foundBefore?: readonly string[]): Promise<string | undefined> =>
      (await claimNext(call, await resolveNext(call, request), {}, foundBefore))?.id

    it('takes few statements, however many values the lists have and however often', async () => {
      const repeated = {
        projectId: projectKeys,
        label: labels,
        priority: someOf(50, (at) => (at % 2 === 0 ? ('low' as const) : ('urgent' as const))),
      }
      for (const request of [broad, repeated]) {
        const filter = await resolveNext(call, request)
        statements = []
        assert.equal(await claimNext(call, filter, {}, await find(request)), undefined)
        const searches = statements.filter(({ text }) => text.includes('ready_tasks'))
        // 50 labels, 50 projects, two users and two priorities are 10,000 ranges of 500 each, searched twice.
        assert.equal(searches.length, 40)
      }
    })

    it('does not scan tasks of paused or deleted projects', async () => {
      const isByProject = (): boolean => statements.some(({ text }) => text.includes('r.project_id = given.project_id'))
      const stop = (project: string, column: 'paused' | 'deleting_at', value: string | number | null) =>
        db.run(`update projects set ${column} = ? where tenant_id = ? and key = ?`, [value, 'ten_1', project])
      const { id } = await createTask(call, { projectId: 'P2', title: 'Running' })
      for (const key of ['P0', 'P1']) await createTask(call, { projectId: key, title: 'Stopped', priority: 'urgent' })
      await stop('P0', 'paused', '{"reason":"x"}')
      await stop('P1', 'deleting_at', 1)
      statements = []
      assert.equal(await claim({}), id)
      assert.ok(isByProject())
      await stop('P0', 'paused', null)
      await stop('P1', 'deleting_at', null)
      statements = []
      assert.notEqual(await claim({}), undefined)
      assert.notEqual(await claim({}), undefined)
      assert.ok(!isByProject())
    })

    it('searches outside the transaction that claims what was found', async () => {
      const { id } = await createTask(call, { projectId: 'P7', title: 'Far', labels: ['label 31'], priority: 'low' })
      statements = []
      const found = await find(broad)
      assert.deepEqual(found, [id])
      assert.ok(statements.every(({ isInTransaction }) => !isInTransaction))
      statements = []
      assert.equal(await claim(broad, found), id)
      assert.equal(statements.filter(({ text }) => text.includes('from ready_tasks')).length, 2)
    })

    it('finds another task when the found one is gone, and the one that became ready after the search', async () => {
      const create = async (title: string): Promise<string> =>
        (await createTask(call, { projectId: 'P9', title, labels: ['label 3'], priority: 'low' })).id
      const gone = await create('Claimed meanwhile')
      const found = await find(broad)
      assert.deepEqual(found, [gone])
      await claimTask(call, gone, {})
      const other = await create('Ready meanwhile')
      assert.equal(await claim(broad, found), other)
      const foundNone = await find(broad)
      assert.deepEqual(foundNone, [])
      const late = await create('Ready after the search')
      assert.equal(await claim(broad, foundNone), late)
      assert.equal(await claim(broad, await find(broad)), undefined)
    })

    it('returns the best task of any filter', async () => {
      const random = randomFrom(3)
      const below = (limit: number): number => Math.floor(random() * limit)
      const tasks: Task[] = []
      for (let at = 0; at < inLongRun(60, 150); at++) {
        const { json } = await createTask(call, {
          projectId: projectKeys[below(5)]!,
          title: `Random ${at}`,
          labels: [labels[below(5)]!, labels[below(5)]!],
          priority: priorities[below(4)]!,
          ...(random() < 0.5 && { dueDate: `2030-01-0${1 + below(3)}` }),
          ...(random() < 0.2 && { resources: [`held ${below(2)}`] }),
        })
        tasks.push(JSON.parse(json) as Task)
      }
      for (const held of ['held 0', 'held 1']) {
        const { id } = await createTask(call, { projectId: 'P0', title: held, resources: [held] })
        await claimTask(call, id, {})
      }
      const idOf = new Map<string, string>()
      for (const key of projectKeys.slice(0, 5)) {
        idOf.set(key, (await resolveNext(call, { projectId: key })).projectIds![0]!)
      }
      const isWaiting = ({ projectId, resources }: Task): boolean =>
        projectId === idOf.get('P0') && resources.length > 0
      const rankOf = ({ priority, dueDate, rank }: Task): [number, string, number] => [
        -priorities.indexOf(priority),
        dueDate ?? '9',
        rank,
      ]
      const inOrder = (one: Task, other: Task): number => {
        const [a, b] = [rankOf(one), rankOf(other)]
        const at = a.findIndex((value, at) => value !== b[at])
        return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1
      }
      for (let round = 0; round < inLongRun(24, 200); round++) {
        const request: NextRequest = {
          projectId: round % 8 === 0 ? projectKeys.slice(below(3)) : projectKeys.slice(below(3), 3 + below(3)),
          label: round % 8 === 0 ? labels.slice(below(5)) : labels.slice(below(3), 3 + below(3)),
          ...(random() < 0.7 && { priority: priorities.filter(() => random() < 0.6).slice(0, 3) }),
        }
        if (request.priority?.length === 0) delete request.priority
        const wanted = tasks.filter(
          (task) =>
            !isWaiting(task) &&
            [request.projectId!].flat().some((key) => idOf.get(key) === task.projectId) &&
            [request.label!].flat().some((label) => task.labels.includes(label)) &&
            (!request.priority || [request.priority].flat().includes(task.priority)),
        )
        const [best] = wanted.sort(inOrder)
        const filter = await resolveNext(call, request)
        const found = await peekNext(call, filter, await find(request))
        assert.equal(found?.id, best?.id, JSON.stringify(request))
      }
    })
  })
}
