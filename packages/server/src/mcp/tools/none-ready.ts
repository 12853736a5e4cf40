import type { Call } from '../../operations/call.js'
import type { NextRequest } from '../../work/tasks/claims/schema.js'
import { resolveNext } from '../../work/tasks/claims/service.js'
import { explainNoneReady } from '../../work/tasks/queue/none-ready.js'
import { timeText } from '../text/text.js'

/** Says why there is nothing to claim, so that a model need not look for it. */
export const noneReadyText = async (call: Call, request: NextRequest): Promise<string> => {
  const filter = await resolveNext(call, request)
  const time = (iso: string): string => timeText(iso, call.clock())
  const { text, hasReasons } = await explainNoneReady(call, request, filter, time)
  return hasReasons ? `${text} list_tasks shows them.` : text
}
