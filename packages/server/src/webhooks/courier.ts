import { type LaneStep, lineLane, replayLane, retryLane } from './lanes.js'
import { type LeasedWebhook, releaseLease } from './lease-store.js'
import { serveWebhook, type Workshop } from './served.js'

/** Serves one webhook as long as there is something to send. */
export interface Courier {
  tenantId: string
  webhookId: string
  /** There is news in the log. */
  wakeLine(): void
  /** Any lane may have something to do. */
  wake(): void
  idleForMs(): number
  /** Finishes what is under way and gives the webhook back. */
  stop(): Promise<void>
}

/** After a fault of our own, such as a store out of reach. */
const restMs = 1_000

interface Lane {
  wake(): void
  isAsleep(): boolean
  ended: Promise<void>
}

const startLane = (step: LaneStep, isStopped: () => boolean, onOver: () => void, onBusy: () => void): Lane => {
  let hasNews = false
  let resume: (() => void) | undefined

  const sleep = async (): Promise<void> => {
    if (!hasNews) {
      await new Promise<void>((resolve) => {
        resume = resolve
      })
    }
    resume = undefined
  }

  const run = async (): Promise<void> => {
    while (!isStopped()) {
      hasNews = false
      const outcome = await step()
      if (outcome === 'over') return onOver()
      if (outcome === 'again') onBusy()
      else if (!isStopped()) await sleep()
    }
  }

  return {
    wake: () => {
      hasNews = true
      resume?.()
    },
    isAsleep: () => resume !== undefined && !hasNews,
    ended: run(),
  }
}

export const startCourier = (workshop: Workshop, webhook: LeasedWebhook, onEnd: () => void): Courier => {
  const { logger, metrics, db, nodeId } = workshop
  let isStopped = false
  let busyAtMs = performance.now()
  const served = serveWebhook({ ...workshop, isStopping: () => isStopped || workshop.isStopping() }, webhook)

  const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, restMs))
  const guarded =
    (step: LaneStep): LaneStep =>
    async () => {
      try {
        return await step()
      } catch (error) {
        metrics.countFailure('serving a webhook')
        logger.warn({ err: error, webhookId: webhook.id }, 'serving a webhook failed and will be tried again')
        if (!isStopped) await rest()
        return 'again'
      }
    }

  const end = (): void => {
    isStopped = true
    for (const lane of lanes) lane.wake()
  }
  const noteBusy = (): void => {
    busyAtMs = performance.now()
  }
  const lanes = [lineLane, replayLane, retryLane].map((lane) =>
    startLane(guarded(lane(served)), () => isStopped, end, noteBusy),
  )
  const ended = Promise.all(lanes.map((lane) => lane.ended))
    .then(() => releaseLease(db, webhook, nodeId, served.seenUpTo))
    .catch((error) => logger.warn({ err: error, webhookId: webhook.id }, 'a webhook could not be given back'))
    .then(onEnd)

  return {
    tenantId: webhook.tenantId,
    webhookId: webhook.id,
    wakeLine: () => lanes[0]!.wake(),
    wake: () => {
      for (const lane of lanes) lane.wake()
    },
    idleForMs: () => (lanes.every((lane) => lane.isAsleep()) ? performance.now() - busyAtMs : 0),
    stop: () => {
      end()
      return ended
    },
  }
}
