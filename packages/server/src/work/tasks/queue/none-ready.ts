import { isoTime } from '../../../base/clock.js'
import type { Call } from '../../../operations/call.js'
import type { NextRequest } from '../claims/schema.js'
import { countUnready, maxUnreadyLookedAt, type NextFilter, type UnreadyReason } from './queue.js'

const reasonTexts: Readonly<Record<UnreadyReason, string>> = {
  own: 'held by you',
  held: 'held by others',
  blocked: 'blocked',
  parent: 'waiting for subtasks',
  asked: 'waiting for an answer',
  exhausted: 'with attempts used up',
  early: 'not before',
  assigned: 'assigned to others',
  paused: 'in paused projects',
  reserved: 'waiting for a resource',
  working: 'in progress without a claim',
}

const maxNamed = 5
const plainValue = /^[\p{L}\p{N}_.-]+$/u

const valuesText = (name: string, values: string | readonly string[] | undefined): string[] => {
  if (values === undefined) return []
  const all = [values].flat()
  const named = all.slice(0, maxNamed).map((value) => (plainValue.test(value) ? value : JSON.stringify(value)))
  return [`${name} ${[...named, ...(all.length > maxNamed ? ['another'] : [])].join(' or ')}`]
}

/** What was asked for, in the caller's words; empty where it was anything. */
const filterText = ({ projectId, label, priority, parentId }: NextRequest): string =>
  [
    ...valuesText('project', projectId),
    ...valuesText('label', label),
    ...valuesText('priority', priority),
    ...valuesText('parent', parentId),
  ].join(', ')

/** Explains why nothing can be claimed: counts open tasks by obstacle, or names the filter that none match. */
export const explainNoneReady = async (call: Call, request: NextRequest, filter: NextFilter): Promise<string> => {
  const counts = await countUnready(call, filter)
  const parts = (Object.keys(reasonTexts) as UnreadyReason[]).flatMap((reason) => {
    const found = counts.find((each) => each.reason === reason)
    if (!found) return []
    const { count, firstMs } = found
    const time = firstMs === null ? '' : ` ${isoTime(firstMs)}`
    return [`${count}${count >= maxUnreadyLookedAt ? '+' : ''} ${reasonTexts[reason]}${time}`]
  })
  if (parts.length > 0) return `No task is ready: ${parts.join(', ')}.`
  const wanted = filterText(request)
  const lookedAt = counts.reduce((sum, { count }) => sum + count, 0)
  const tasks = lookedAt < maxUnreadyLookedAt ? 'no open task' : `none of ${lookedAt} tasks is open and`
  const why = wanted === '' ? 'none is open' : `${tasks} matches ${wanted}`
  return `No task is ready: ${why}.`
}
