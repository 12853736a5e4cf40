import { migrate } from '../../../packages/server/dist/src/db/migrate.js'
import { openDb } from '../../../packages/server/dist/src/db/open.js'
import { ownOrigin } from '../../../packages/server/dist/src/operations/call.js'
import { claimTask } from '../../../packages/server/dist/src/work/tasks/claims/service.js'
import { priorities } from '../../../packages/server/dist/src/work/tasks/fields.js'
import { createTask } from '../../../packages/server/dist/src/work/tasks/service.js'
import { firstActor } from '../bulk-load.js'
import { call } from '../requests.js'
import type { BenchStore } from '../store.js'
import { createRandom, sentence } from '../texts.js'

export const workProject = 'WORK'

/** A fifth is ready, a fifth blocked, a hundredth claimed, and the rest closed or in review. */
const statusOfFifth = ['todo', 'todo', 'done', 'in_review', 'cancelled'] as const
const isClaimed = (at: number): boolean => at % 100 === 2
const isBlocked = (at: number): boolean => at % statusOfFifth.length === 1

const workTask = (at: number, blockerId: string | undefined) => {
  const random = createRandom(at + 1)
  return {
    projectId: workProject,
    title: sentence(random, 7),
    description: sentence(random, 45),
    status: isClaimed(at) ? ('todo' as const) : statusOfFifth[at % statusOfFifth.length]!,
    priority: priorities[Math.floor(random() * priorities.length)]!,
    labels: [`label-${at % 20}`],
    ...(isBlocked(at) && blockerId !== undefined && { blockedBy: [blockerId] }),
  }
}

/** A task that is handed out and back over and over stays available for most of a run. */
export const createWorkProject = (port: number) =>
  call(port, 'POST', '/v1/projects', { key: workProject, name: 'Work', maxAttempts: 100 })

const tasksPerTransaction = 100
const leaseSeconds = 86_400

/** Adds the tasks of a range through the service's own rules, while no server runs. */
export const loadWork = async (
  { dataDir, databaseUrl }: BenchStore,
  from: number,
  to: number,
  onProgress: (done: number) => void,
): Promise<void> => {
  const db = await openDb({ dataDir, databaseUrl, poolSize: 2 })
  await migrate(db)
  const actor = await firstActor(db)
  for (let start = from; start < to; start += tasksPerTransaction) {
    const end = Math.min(to, start + tasksPerTransaction)
    await db.transaction(async (tx) => {
      const call = { db: tx, clock: Date.now, actor, origin: ownOrigin('bulkLoad') }
      let lastId: string | undefined
      for (let at = start; at < end; at++) {
        const { id } = await createTask(call, workTask(at, lastId))
        if (isClaimed(at)) await claimTask(call, id, { leaseSeconds })
        lastId = id
      }
    })
    onProgress(end)
  }
  await db.close()
}
