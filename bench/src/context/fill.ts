import { migrate } from '../../../packages/server/dist/src/db/migrate.js'
import { openDb } from '../../../packages/server/dist/src/db/open.js'
import type { Sql } from '../../../packages/server/dist/src/db/port.js'
import { ownOrigin } from '../../../packages/server/dist/src/operations/call.js'
import { putItem } from '../../../packages/server/dist/src/work/knowledge/service.js'
import { claimTask } from '../../../packages/server/dist/src/work/tasks/claims/service.js'
import { createTask } from '../../../packages/server/dist/src/work/tasks/service.js'
import { firstActor } from '../bulk-load.js'
import { itemContent, itemKey, taskInput } from '../records.js'
import type { BenchStore } from '../store.js'

const recordsPerTransaction = 100
const leaseSeconds = 86_400

type FillCall = Parameters<typeof createTask>[0]

/** Runs a step for each number of a range through the service's own rules, while no server runs. */
const inTransactions = async (
  { dataDir, databaseUrl }: BenchStore,
  count: number,
  step: (call: FillCall, at: number) => Promise<unknown>,
  onProgress: (done: number) => void,
): Promise<void> => {
  const db = await openDb({ dataDir, databaseUrl, poolSize: 2 })
  await migrate(db)
  const actor = await firstActor(db)
  for (let start = 0; start < count; start += recordsPerTransaction) {
    const end = Math.min(count, start + recordsPerTransaction)
    await db.transaction(async (tx: Sql) => {
      const call = { db: tx, clock: Date.now, actor, origin: ownOrigin('bulkLoad') }
      for (let at = start; at < end; at++) await step(call, at)
    })
    onProgress(end)
  }
  await db.close()
}

export const fillItems = (store: BenchStore, count: number, onProgress: (done: number) => void) =>
  inTransactions(store, count, (call, at) => putItem(call, itemKey(at), { content: itemContent(at) }, {}), onProgress)

export const fillTasks = (
  store: BenchStore,
  count: number,
  userIds: readonly string[],
  onProgress: (done: number) => void,
) => inTransactions(store, count, (call, at) => createTask(call, taskInput(at, userIds)), onProgress)

export const resourceProject = 'RES'
const resourcesPerTask = 10

/** Half of them are folders. No two overlap. */
const resourceAt = (at: number): string => (at % 2 === 0 ? `src/part-${at}/` : `src/files/file-${at}.ts`)

/** Live claims that hold the resources. */
export const holdResources = (store: BenchStore, count: number, onProgress: (done: number) => void) =>
  inTransactions(
    store,
    count / resourcesPerTask,
    async (call, at) => {
      const resources = Array.from({ length: resourcesPerTask }, (_, of) => resourceAt(at * resourcesPerTask + of))
      const { id } = await createTask(call, { projectId: resourceProject, title: `Holder ${at}`, resources })
      await claimTask(call, id, { leaseSeconds })
    },
    onProgress,
  )

type NewTask = Parameters<typeof createTask>[1]

const addTasks = (
  store: BenchStore,
  count: number,
  fieldsAt: (at: number) => Omit<NewTask, 'projectId'>,
  onProgress: (done: number) => void,
) =>
  inTransactions(
    store,
    count,
    (call, at) => createTask(call, { projectId: resourceProject, ...fieldsAt(at) }),
    onProgress,
  )

/** Urgent tasks that all want one resource of a live claim: a file below a folder that it holds. */
export const addWaitingTasks = (store: BenchStore, count: number, onProgress: (done: number) => void) => {
  const resources = [`${resourceAt(0)}wanted.ts`]
  return addTasks(store, count, (at) => ({ title: `Waits ${at}`, priority: 'urgent', resources }), onProgress)
}

/** Tasks that can be handed out at any time. */
export const addFreeTasks = (store: BenchStore, count: number, onProgress: (done: number) => void) =>
  addTasks(store, count, (at) => ({ title: `Free ${at}`, resources: [`free/${at}/a`, `free/${at}/b/`] }), onProgress)
