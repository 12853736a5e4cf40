import { isoTime } from '../base/clock.js'
import type { Call } from '../operations/call.js'
import { countUnready, maxUnreadyLookedAt, type NextFilter, type UnreadyReason } from '../work/tasks/queue/queue.js'
import { timeText } from './text.js'

const reasonTexts: Readonly<Record<UnreadyReason, string>> = {
  own: 'held by you',
  held: 'held by others',
  blocked: 'blocked',
  parent: 'waiting for subtasks',
  asked: 'waiting for an answer',
  exhausted: 'with attempts used up',
  early: 'not before',
  assigned: 'assigned to others',
  working: 'in progress without a claim',
}

/** Says why there is nothing to claim, so that a model need not look for it. */
export const noneReadyText = async (call: Call, filter: NextFilter): Promise<string> => {
  const counts = await countUnready(call, filter)
  if (counts.length === 0) return 'No task is ready: none is open.'
  const parts = (Object.keys(reasonTexts) as UnreadyReason[]).flatMap((reason) => {
    const found = counts.find((each) => each.reason === reason)
    if (!found) return []
    const { count, firstMs } = found
    const time = firstMs === null ? '' : ` ${timeText(isoTime(firstMs), call.clock())}`
    return [`${count}${count >= maxUnreadyLookedAt ? '+' : ''} ${reasonTexts[reason]}${time}`]
  })
  return `No task is ready: ${parts.join(', ')}. list_tasks shows them.`
}
