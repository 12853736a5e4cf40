import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../../../packages/server/dist/src/db/migrate.js'
import { openDb } from '../../../packages/server/dist/src/db/open.js'
import type { Db } from '../../../packages/server/dist/src/db/port.js'
import { type Call, ownOrigin } from '../../../packages/server/dist/src/operations/call.js'
import { createProject } from '../../../packages/server/dist/src/tenancy/projects/service.js'
import { createUser } from '../../../packages/server/dist/src/tenancy/users/service.js'
import { listItems } from '../../../packages/server/dist/src/work/knowledge/list.js'
import { getItem, putItem } from '../../../packages/server/dist/src/work/knowledge/service.js'
import { listTasks } from '../../../packages/server/dist/src/work/tasks/lists/list.js'
import type { TaskList } from '../../../packages/server/dist/src/work/tasks/schema.js'
import { createTask, getTask, updateTask } from '../../../packages/server/dist/src/work/tasks/service.js'
import { createProgress } from '../progress.js'
import {
  folderOf,
  itemContent,
  itemKey,
  labels,
  projectKeys,
  statuses,
  taskIdAt,
  taskInput,
  userCount,
} from '../records.js'
import { table } from '../table.js'
import { multiplyTasks } from './multiply.js'

/**
 * CPU of the services and the embedded store alone, without HTTP, in this process. The least of many short windows
 * hardly changes with what else the machine does, so small steps can be told apart on a busy one.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000' },
    copies: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const records = Number(values.records)
const copies = Number(values.copies)
const taskCount = records * copies
const recordsPerTransaction = 250
const writers = 32

const actor: Call['actor'] = {
  tenantId: 'ten_bench',
  keyId: 'key_bench',
  keyName: 'bench',
  userId: null,
  scopes: ['admin'],
  projectIds: null,
  keyExpiresAt: null,
}
const progress = createProgress()
const dataDir = mkdtempSync(join(tmpdir(), 'worklore-services-'))
const store = { dataDir, databaseUrl: undefined, poolSize: 1 }
const callOn = (db: Db): Call => ({ db, clock: Date.now, actor, origin: ownOrigin('bench') })

const fill = async (call: Call): Promise<void> => {
  await call.db.run('insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, 0)', [
    actor.tenantId,
    'bench',
    'self-hosted',
  ])
  for (const key of projectKeys) await createProject(call, { key, name: key })
  for (let at = 0; at < userCount; at++) userIds.push((await createUser(call, { name: `User ${at}` })).id)
  for (let start = 0; start < records; start += recordsPerTransaction) {
    await call.db.transaction(async (tx) => {
      for (let at = start; at < Math.min(records, start + recordsPerTransaction); at++) {
        await createTask({ ...call, db: tx }, taskInput(at, userIds))
        await putItem({ ...call, db: tx }, itemKey(at), { content: itemContent(at) }, {})
      }
    })
    progress.say(`filling: ${start}`)
  }
}

const userIds: string[] = []
const first = await openDb(store)
await migrate(first)
await fill(callOn(first))
await first.close()
multiplyTasks(dataDir, copies, (done) => progress.say(`copying: ${done} of ${copies}`))

const db = await openDb(store)
const call = callOn(db)
const below = (count: number): number => Math.floor(Math.random() * count)
const anyOf = <T>(all: readonly T[]): T => all[below(all.length)]!
const list = (query: () => TaskList) => () => listTasks(call, query())
const together = (write: (at: number) => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: writers }, (_, at) => write(at)))

const middle = await listTasks(call, { page: Math.floor(taskCount / 100), limit: 50 })
const cursor = middle.pagination.nextCursor!

const operations: Record<string, () => unknown> = {
  'get a task': () => getTask(call, taskIdAt(below(taskCount))),
  'get a knowledge item': () => getItem(call, itemKey(below(records)), undefined),
  'list tasks': list(() => ({})),
  'list tasks by project and status': list(() => ({ projectId: [anyOf(projectKeys)], status: [anyOf(statuses)] })),
  'list tasks by label': list(() => ({ label: [anyOf(labels)] })),
  'list tasks by label and assignee': list(() => ({ label: [anyOf(labels)], assignee: [anyOf(userIds)] })),
  'list tasks by assignee': list(() => ({ assignee: [anyOf(userIds)] })),
  'list tasks by priority': list(() => ({ priority: ['urgent'] })),
  'list the urgent first in a project': list(() => ({ projectId: [anyOf(projectKeys)], sort: '-priority' })),
  'list the last changed in a project': list(() => ({ projectId: [anyOf(projectKeys)], sort: '-updatedAt' })),
  'list tasks by due date': list(() => ({ sort: 'dueDate' })),
  'deep page of tasks by cursor': list(() => ({ cursor, limit: 50 })),
  'list knowledge by prefix': () => listItems(call, { prefix: `${folderOf(below(records))}/`, limit: 50 }),
  [`create ${writers} tasks at once`]: together((at) => createTask(call, taskInput(at, userIds))),
  [`patch ${writers} tasks at once`]: together(() =>
    updateTask(call, taskIdAt(below(records)), { title: `Retitled ${Math.random()}`, status: anyOf(statuses) }, {}),
  ),
  [`put ${writers} items at once`]: together((at) =>
    putItem(call, itemKey(below(records)), { content: `${Math.random()} ${itemContent(at)}` }, {}),
  ),
}

const measure = async (work: () => unknown): Promise<number[]> => {
  const costs: number[] = []
  for (let window = 0; window < 30; window++) {
    const before = process.cpuUsage()
    let calls = 0
    const endsAt = performance.now() + 20
    do {
      await work()
      calls++
    } while (performance.now() < endsAt)
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / calls)
  }
  return costs.slice(5).sort((a, b) => a - b)
}

const rows: string[][] = []
for (const [name, work] of Object.entries(operations)) {
  if (!name.includes(values.only)) continue
  progress.say(name)
  const costs = await measure(work)
  rows.push([name, ...[0, 0.25, 0.5].map((share) => costs[Math.floor(costs.length * share)]!.toFixed(1))])
}
progress.end()
console.log(`\n${taskCount.toLocaleString('en')} tasks: CPU µs of the services and the embedded store\n`)
console.log(table(['operation', 'least', 'first quarter', 'median'], rows))
await db.close()
rmSync(dataDir, { recursive: true, force: true })
