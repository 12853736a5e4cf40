import type { ActiveWebhook } from './progress-store.js'
import { eventQueue, replayQueue, retryQueue, type SendBatch } from './queues.js'
import { createDeliverySession, type WorkerContext } from './session.js'

/** Sends to one webhook. Its queues run concurrently, each with one request at a time. */
export interface DeliveryWorker {
  /** Called when the log has new events. */
  wakeEventQueue(): void
  /** Any queue may have something to send. */
  wake(): void
  idleForMs(): number
  /** Stops after the requests in flight have finished. */
  stop(): Promise<void>
  /** Resolves after `stop`, or once the webhook is disabled or deleted. */
  ended: Promise<void>
}

/** After a failure of this service, such as a database out of reach. */
const retryDelayMs = 1_000

interface QueueLoop {
  wake(): void
  isAsleep(): boolean
  ended: Promise<void>
}

const startQueueLoop = (sendBatch: SendBatch, isStopped: () => boolean, onOver: () => void): QueueLoop => {
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
      if (outcome === 'again') continue
      if (!isStopped()) await sleep()
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

export const startDeliveryWorker = (context: WorkerContext, webhook: ActiveWebhook): DeliveryWorker => {
  const { logger, metrics } = context
  let isStopped = false
  const startedAtMs = performance.now()
  const session = createDeliverySession(context, webhook, () => isStopped)

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
  const loops = [eventQueue, replayQueue, retryQueue].map((queue) =>
    startQueueLoop(guarded(queue(session)), () => isStopped, end),
  )
  const ended = Promise.all(loops.map((loop) => loop.ended))
    .then(session.savePassed)
    .catch((error) => logger.warn({ err: error, webhookId: webhook.id }, 'the position of a webhook was not saved'))

  return {
    wakeEventQueue: () => loops[0]!.wake(),
    wake: () => {
      for (const loop of loops) loop.wake()
    },
    idleForMs: () =>
      loops.every((loop) => loop.isAsleep()) ? performance.now() - Math.max(startedAtMs, session.sentAtMs) : 0,
    stop: () => {
      end()
      return ended
    },
    ended,
  }
}
