import type { OperationCall } from '../../operations/operation.js'
import type { NextRequest } from '../../work/tasks/claims/schema.js'
import { resolveNext } from '../../work/tasks/claims/service.js'
import { explainNoneReady } from '../../work/tasks/queue/none-ready.js'
import { timeText } from '../text/text.js'

const isoForm = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g
const countForm = /: \d/

/** Formats the message with which `nextTask` explains why nothing can be claimed. */
export const noneReadyText = (message: string, nowMs: number): string => {
  const text = message.replaceAll(isoForm, (iso) => timeText(iso, nowMs))
  return countForm.test(text) ? `${text} list_tasks shows them.` : text
}

/** Explains why a list of ready tasks is empty. */
export const readNoneReadyText = async (call: OperationCall, request: NextRequest): Promise<string> =>
  noneReadyText(await explainNoneReady(call, request, await resolveNext(call, request)), call.clock())
