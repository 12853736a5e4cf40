import { Type } from 'typebox'
import { changing } from '../../call.js'
import { claimTask as claimTaskOperation, releaseClaim } from '../../claims/operations.js'
import * as claims from '../../claims/service.js'
import { invalid } from '../../errors.js'
import type { Task } from '../../tasks/schema.js'
import { getTask, updateTask } from '../../tasks/service.js'
import { describeTask, taskLine } from '../task-text.js'
import { parsed, timeText } from '../text.js'
import { tool } from '../tool.js'
import { namingBlockers } from './blockers.js'

export const claimTask = tool({
  name: 'claim_task',
  description: 'Take a task to work on: the next ready one, or the one with this id',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: [claimTaskOperation],
  input: Type.Object({
    id: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
    labels: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50, description: 'any of' })),
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440, description: 'lease, 30 by default' })),
    takeover: Type.Optional(Type.Boolean({ description: 'replace a claim of your own key' })),
  }),
  run: async (call, { id, project, labels, minutes, takeover }) => {
    const lease = minutes === undefined ? {} : { leaseSeconds: minutes * 60 }
    if (id === undefined) {
      if (takeover) throw invalid({ path: 'takeover', message: 'needs the id of the task' })
      const filter = await claims.resolveNext(call, {
        ...(project !== undefined && { projectId: project }),
        ...(labels && { label: labels }),
      })
      const task = await claims.claimNext(call, filter, lease)
      if (!task) return 'No task is ready. list_tasks shows what others work on and what is blocked.'
      return claimedText(task.json, call.clock(), await describeTask(call, task.json))
    }
    for (const [path, value] of Object.entries({ project, labels })) {
      if (value !== undefined) throw invalid({ path, message: 'cannot be combined with id' })
    }
    const { json } = await claims.claimTask(call, id, { ...lease, ...(takeover !== undefined && { takeover }) })
    return claimedText(json, call.clock(), await describeTask(call, json))
  },
})

const claimedText = (json: string, nowMs: number, description: string): string => {
  const { token, expiresAt } = parsed<Task>(json).claim!
  return `You hold claim ${token} until ${timeText(expiresAt, nowMs)}. Send it as claim with each write; end with finish_task.\n${description}`
}

const statusAfter = { done: 'done', review: 'in_review', release: 'todo', blocked: 'todo' } as const
const outcomes = Object.keys(statusAfter) as (keyof typeof statusAfter)[]

export const finishTask = tool({
  name: 'finish_task',
  description: 'End your claim and say what became of the task',
  annotations: { destructiveHint: false },
  scopes: ['tasks:write'],
  operations: [releaseClaim],
  input: Type.Object({
    id: Type.String(),
    claim: Type.String(),
    outcome: Type.Enum(outcomes, { description: 'release hands it back' }),
    summary: Type.String({ minLength: 1, description: 'becomes a comment' }),
    blocked_by: Type.Optional(Type.Array(Type.String(), { maxItems: 50, description: 'task ids, for blocked' })),
  }),
  run: async (call, { id, claim, outcome, summary, blocked_by: blockers = [] }) => {
    if (outcome === 'blocked' && blockers.length === 0) {
      throw invalid({ path: 'blocked_by', message: 'is required for the outcome blocked; create_task makes a blocker' })
    }
    if (outcome !== 'blocked' && blockers.length > 0) {
      throw invalid({ path: 'blocked_by', message: 'is for the outcome blocked' })
    }
    const { json } = await changing(call, async (call) => {
      if (blockers.length > 0) {
        const { blockedBy } = parsed<Task>((await getTask(call, id)).json)
        const all = [...new Set([...blockedBy, ...blockers])]
        await updateTask(call, id, { blockedBy: all }, {}).catch(namingBlockers('blocked_by', blockers, all))
      }
      return claims.releaseClaim(call, id, claim, { status: statusAfter[outcome], comment: summary })
    })
    return taskLine(parsed(json), call.clock())
  },
})
