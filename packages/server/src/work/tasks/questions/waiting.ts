import type { OperationCall } from '../../../operations/operation.js'
import { holdOpen, type Wait } from '../../../operations/waiting.js'
import { questionTopic } from './write.js'

/** The wait of one call until a question is no longer open, if it is to wait at all. */
export const waitForAnswer = async (
  call: OperationCall,
  id: string,
  waitSeconds: number,
): Promise<Wait | undefined> => {
  if (waitSeconds === 0) return undefined
  const untilMs = performance.now() + waitSeconds * 1_000
  const leave = await holdOpen(call)
  const watch = call.core.watches.open(call.actor.tenantId, questionTopic(id))
  call.onAbandoned(watch.end)
  return {
    next: async () => {
      const leftMs = untilMs - performance.now()
      if (watch.isEnded || leftMs <= 0) return false
      await watch.next(leftMs)
      return !watch.isEnded
    },
    end: () => {
      watch.end()
      leave()
    },
  }
}
