import { claimedTaskMark, counterMark, stepMark, tokenMark } from '../load-protocol.js'
import type { Operation } from '../operations.js'
import { jsonRequest } from '../requests.js'
import { workProject } from './tasks.js'

/** Claims that a round leaves behind are over soon. */
const leaseSeconds = 10
const tasksOfBatch = 20

const fenced = { 'Worklore-Claim': tokenMark }
const next = jsonRequest('POST', '/v1/tasks/next', { leaseSeconds })
const claim = jsonRequest('POST', `/v1/tasks/${claimedTaskMark}/claim`, { leaseSeconds })
const renew = jsonRequest('POST', `/v1/tasks/${claimedTaskMark}/renew`, {}, fenced)
const release = jsonRequest('POST', `/v1/tasks/${claimedTaskMark}/release`, {}, fenced)
/** Nobody else is handed the task before it is claimed again by its id. */
const setAside = jsonRequest(
  'POST',
  `/v1/tasks/${claimedTaskMark}/release`,
  { notBefore: '2099-01-01T00:00:00Z' },
  fenced,
)
const steps = (...requests: string[]): string => requests.join(stepMark)

const newTask = { projectId: workProject, title: `Created ${counterMark}`, description: 'Made while measuring.' }

export const createOperation = 'create a task'
export const batchOperation = `batch of ${tasksOfBatch} creates`

/** What agents do all day. */
export const workOperations: readonly Operation[] = [
  {
    name: 'next, then release',
    target: 25,
    growthTarget: 2,
    isWrite: true,
    request: () => steps(next, release),
  },
  {
    name: 'release, then claim',
    target: 25,
    growthTarget: 2,
    isWrite: true,
    opening: next,
    request: () => steps(setAside, claim),
  },
  {
    name: 'renew',
    target: 8,
    growthTarget: 2,
    isWrite: true,
    opening: next,
    request: () => renew,
  },
  {
    name: 'comment',
    target: 10,
    growthTarget: 2,
    isWrite: true,
    opening: next,
    request: () =>
      jsonRequest('POST', `/v1/tasks/${claimedTaskMark}/comments`, { body: `Reproduced it, ${counterMark}.` }),
  },
  {
    name: createOperation,
    target: 6,
    isWrite: true,
    request: () => jsonRequest('POST', '/v1/tasks', newTask),
  },
  {
    name: batchOperation,
    target: 90,
    isWrite: true,
    request: () =>
      jsonRequest('POST', '/v1/batch', {
        operations: Array.from({ length: tasksOfBatch }, (_, at) => ({
          method: 'POST',
          path: '/v1/tasks',
          body: { ...newTask, title: at === 0 ? newTask.title : `Created with it, ${at}` },
        })),
      }),
  },
]
