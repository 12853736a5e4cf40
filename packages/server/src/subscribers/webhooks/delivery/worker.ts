import { type LeasedWebhook, releaseLease } from './lease-store.js'
import { eventQueue, replayQueue, retryQueue, type SendBatch } from './queues.js'
import { createDeliverySession, type WorkerContext } from './session.js'

/** Sends to one webhook, as long as there is something to send: its queues run side by side, each one request at a time. */
export interface DeliveryWorker {
  tenantId: string
  webhookId: string
  /** There are new events in the log. */
  wakeEventQueue(): void
  /** Any queue may have something to send. */
  wake(): void
  idleForMs(): number
  runningForMs(): number
  isStopped(): boolean
  /** Finishes the requests under way and releases the lease. */
  stop(): Promise<void>
}

/** After a failure of this service, such as a database out of reach. */
const retryDelayMs = 1_000

interface QueueLoop {
  wake(): void
  isAsleep(): boolean
  ended: Promise<void>
}

const startQueueLoop = (
  sendBatch: SendBatch,
  isStopped: () => boolean,
  onOver: () => void,
  onBusy: () => void,
): QueueLoop => {
  let hasWork = false
  let resume: (() => void) | undefined

  const sleep = async (): Promise<void> => {
    if (!hasWork) {
      await new Promise<void>((resolve) => {
        resume = resolve
      })
    }
    resume = undefined
  }

  const run = async (): Promise<void> => {
    while (!isStopped()) {
      hasWork = false
      const outcome = await sendBatch()
      if (outcome === 'over') return onOver()
      if (outcome === 'again') onBusy()
      else if (!isStopped()) await sleep()
    }
  }

  return {
    wake: () => {
      hasWork = true
      resume?.()
    },
    isAsleep: () => resume !== undefined && !hasWork,
    ended: run(),
  }
}

export const startDeliveryWorker = (
  context: WorkerContext,
  webhook: LeasedWebhook,
  onEnd: () => void,
): DeliveryWorker => {
  const { logger, metrics, nodeId } = context
  let isStopped = false
  const startedAtMs = performance.now()
  let busyAtMs = startedAtMs
  const session = createDeliverySession({ ...context, isStopping: () => isStopped || context.isStopping() }, webhook)

  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, retryDelayMs))
  const guarded =
    (sendBatch: SendBatch): SendBatch =>
    async () => {
      try {
        return await sendBatch()
      } catch (error) {
        metrics.countFailure('webhook delivery')
        logger.warn({ err: error, webhookId: webhook.id }, 'webhook delivery failed and will be retried')
        if (!isStopped) await pause()
        return 'again'
      }
    }

  const end = (): void => {
    isStopped = true
    for (const loop of loops) loop.wake()
  }
  const noteBusy = (): void => {
    busyAtMs = performance.now()
  }
  const loops = [eventQueue, replayQueue, retryQueue].map((queue) =>
    startQueueLoop(guarded(queue(session)), () => isStopped, end, noteBusy),
  )
  const ended = Promise.all(loops.map((loop) => loop.ended))
    .then(() => releaseLease(session.db, webhook, nodeId, session.readUpTo))
    .catch((error) =>
      logger.warn({ err: error, webhookId: webhook.id }, 'the lease of a webhook could not be released'),
    )
    .then(onEnd)

  return {
    tenantId: webhook.tenantId,
    webhookId: webhook.id,
    wakeEventQueue: () => loops[0]!.wake(),
    wake: () => {
      for (const loop of loops) loop.wake()
    },
    idleForMs: () => (loops.every((loop) => loop.isAsleep()) ? performance.now() - busyAtMs : 0),
    runningForMs: () => performance.now() - startedAtMs,
    isStopped: () => isStopped,
    stop: () => {
      end()
      return ended
    },
  }
}
