import { Worker } from 'node:worker_threads'
import { unavailable } from '../../base/errors.js'
import type { Json } from '../../base/json.js'
import { createFairQueue } from '../../scheduling/fair-queue.js'
import type { FieldChange, ShownChanges } from './changes.js'

/** Two states of a record as JSON, null where it was not there. */
export interface DifferTask extends ShownChanges {
  before: string | null
  after: string | null
}

/** The first message of a thread; the others are the changes of its tasks, as JSON. */
export const isReady = ''

declare module '../../operations/core.js' {
  interface Core {
    readonly differ: Differ
  }
}

/** Compares states of records in a thread of its own, those of tenants in turn. */
export interface Differ {
  /** The fields that differ. Texts that take too long to compare are shown as replaced. */
  changes(tenantId: string, task: Omit<DifferTask, 'isCompared'>): Promise<Json<Readonly<Record<string, FieldChange>>>>
  close(): Promise<void>
}

interface Job {
  tenantId: string
  task: DifferTask
  resolve(changes: string): void
  reject(error: unknown): void
}

/** A thread that has not answered by then is ended; what is compared takes a fraction of a second. */
const defaultMaxTaskMs = 5_000
const maxWaiting = 1_000
const maxHeapMb = 256

const busy = (cause?: unknown) => unavailable('Changes cannot be compared now. Try again shortly.', 1, cause)

export const createDiffer = (maxTaskMs = defaultMaxTaskMs): Differ => {
  const queue = createFairQueue<Job>()
  let worker: Worker | undefined
  let isStarting = false
  let current: Job | undefined
  let timer: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const started = new Worker(new URL('./differ-worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    isStarting = true
    started.on('message', (message: string) => {
      if (message !== isReady) return finish(started, (job) => job.resolve(message))
      isStarting = false
      // An idle thread keeps no process alive; a task under way does, by its timer.
      started.unref()
      next()
    })
    started.on('error', (error) => (isStarting ? failAll(error) : giveUp(started)))
    return started
  }

  const finish = (by: Worker, act: (job: Job) => void): void => {
    if (by !== worker || !current) return
    clearTimeout(timer)
    const job = current
    current = undefined
    act(job)
    next()
  }

  /** Ends a thread that does not come to an end; its task is tried once more without comparing texts. */
  const giveUp = (stuck: Worker): void =>
    finish(stuck, (job) => {
      worker = undefined
      void stuck.terminate()
      if (job.task.isCompared) queue.push(job.tenantId, { ...job, task: { ...job.task, isCompared: false } })
      else job.reject(busy())
    })

  const failAll = (cause?: unknown): void => {
    worker = undefined
    for (const { reject } of [...(current ? [current] : []), ...queue.takeWhile(() => true)]) reject(busy(cause))
    current = undefined
  }

  const next = (): void => {
    if (current || queue.size === 0) return
    worker ??= start()
    if (isStarting) return
    current = queue.take()!
    timer = setTimeout(giveUp, maxTaskMs, worker)
    worker.postMessage(current.task)
  }

  return {
    changes: (tenantId, task) =>
      new Promise((resolve, reject) => {
        if (queue.size >= maxWaiting) return reject(busy())
        queue.push(tenantId, { tenantId, task: { ...task, isCompared: true }, resolve, reject })
        next()
      }),
    close: async () => {
      const closing = worker
      clearTimeout(timer)
      failAll()
      await closing?.terminate()
    },
  }
}
