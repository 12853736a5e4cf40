import { once, setMaxListeners } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Load, Target } from './beside.js'
import { loads } from './loads.js'

interface Running {
  stop(): Promise<void>
}

/** Runs a load on a thread of its own, so that its work does not delay whoever measures beside it. */
export const startLoad = async ({ name }: Load, target: Target): Promise<Running> => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { name, target } })
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
  await Promise.race([once(worker, 'message'), ended])
  return {
    stop: () => {
      worker.postMessage('stop')
      return ended
    },
  }
}

if (!isMainThread) {
  const { name, target } = workerData as { name: string; target: Target }
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  parentPort!.once('message', () => ending.abort())
  parentPort!.postMessage('started')
  await loads.find((load) => load.name === name)!.run(target, ending.signal)
}
