import type { Task, UpdateTaskBody } from 'worklore-client'
import type { Issue, IssuePatch } from '../github/records.js'
import { type Direction, goesIn, goesOut } from './context.js'
import { labelsForIssue, labelsOfIssue, mergeLabels } from './labels.js'
import { type Base, type FieldBase, type Side, unknownBase } from './link.js'
import { digest } from './text.js'
import { baseOf, type FieldName, type FieldValues, fieldNames } from './values.js'

type Decision = 'keep' | 'settle' | 'in' | 'out' | 'conflict' | 'hold'
export type Values = Record<FieldName, FieldValues>

/** What is to be written to either side, field by field. */
export interface Plan {
  toTask: UpdateTaskBody
  toIssue: IssuePatch
  conflicts: FieldName[]
  /** Fields whose shortened copy was changed: it does not replace the whole text. */
  held: FieldName[]
  /** Fields that the issue gets. */
  outward: FieldName[]
  /** The base once `toTask` is written. */
  base: Base
  isBaseChanged: boolean
}

const decide = ({ there, here, isSame }: FieldValues, base: FieldBase | undefined): Decision => {
  const isChangedThere = digest(there) !== base?.[0]
  const isChangedHere = digest(here) !== base?.[1]
  if (!isChangedThere && !isChangedHere) return 'keep'
  if (isSame) return 'settle'
  if (isChangedThere && isChangedHere) return 'conflict'
  return isChangedThere ? 'in' : 'out'
}

/** In one direction the source wins. */
const inDirection = (decision: Decision, direction: Direction): Decision => {
  if (decision === 'in' && direction === 'out') return 'keep'
  if (decision === 'out' && direction === 'in') return 'keep'
  return decision
}

/** A shortened copy is no source. */
const withoutCuts = (decision: Decision, base: FieldBase | undefined, direction: Direction): Decision => {
  const cut = base?.[2]
  if (cut === undefined) return decision
  if (decision === (cut === 'github' ? 'in' : 'out')) return 'hold'
  const isWholeTaken = cut === 'github' ? goesOut({ direction }) : goesIn({ direction })
  return decision === 'conflict' && !isWholeTaken ? 'hold' : decision
}

interface PlanOptions {
  direction: Direction
  /** Fields of the task that the service refuses to change now. */
  refused: ReadonlySet<FieldName>
  /** Who wins where both changed a field. */
  winners: ReadonlyMap<FieldName, Side>
}

/** A three-way merge: what each side has, and what both had when they were last in step. */
export const planOf = (
  issue: Issue,
  task: Task,
  values: Values,
  before: Base | undefined,
  { direction, refused, winners }: PlanOptions,
): Plan => {
  const toTask: UpdateTaskBody = {}
  const toIssue: IssuePatch = {}
  const conflicts: FieldName[] = []
  const held: FieldName[] = []
  const outward: FieldName[] = []
  const next = {} as Record<FieldName, FieldBase>
  for (const name of fieldNames) {
    const value = values[name]
    const base = before?.[name]
    let decision = withoutCuts(inDirection(decide(value, base), direction), base, direction)
    next[name] = base ?? unknownBase
    if (decision === 'conflict') {
      const winner = winners.get(name)
      if (winner === undefined) conflicts.push(name)
      else decision = winner === 'github' ? 'in' : 'out'
      // The other side's change is noted with the conflict: from now on only the winner's is a change.
      if (winner === 'worklore') next[name] = [digest(value.there), base?.[1] ?? '']
    }
    if (decision === 'hold') held.push(name)
    if (decision === 'settle') next[name] = baseOf(value.there, value.here, value.sameCut)
    if (decision === 'in' && !refused.has(name)) {
      Object.assign(toTask, value.toTask)
      next[name] = baseOf(value.there, value.hereAfter, value.isCutHere ? 'worklore' : undefined)
    }
    if (decision === 'out') {
      Object.assign(toIssue, value.toIssue)
      outward.push(name)
    }
  }

  const merged = mergeLabels(issue, task.labels, before?.labels, before?.milestone ?? null)
  const labels = { ...(before?.labels ?? { github: [], worklore: [] }) }
  let milestone = before?.milestone ?? null
  if (goesIn({ direction })) {
    if (merged.toTask) toTask.labels = merged.toTask
    labels.github = labelsOfIssue(issue)
    milestone = issue.milestone?.title ?? null
  }
  if (goesOut({ direction }) && merged.toIssue) toIssue.labels = merged.toIssue
  // What waits to be sent stays a difference to the base.
  else labels.worklore = labelsForIssue(merged.toTask && goesIn({ direction }) ? merged.toTask : task.labels)
  if (!goesOut({ direction }) && merged.toIssue) labels.worklore = before?.labels.worklore ?? []

  const base: Base = { ...next, labels, milestone }
  const isBaseChanged = JSON.stringify(base) !== JSON.stringify(before)
  return { toTask, toIssue, conflicts, held, outward, base, isBaseChanged }
}

/** The base once the issue has what the task has. */
export const settledBase = (plan: Plan, issue: Issue, task: Task, values: Values): Base => {
  const base: Base = { ...plan.base }
  for (const name of plan.outward) {
    const { there, here, isCutThere } = values[name]
    base[name] = baseOf(there, here, isCutThere ? 'github' : undefined)
  }
  if (plan.toIssue.labels) base.labels = { github: labelsOfIssue(issue), worklore: labelsForIssue(task.labels) }
  return base
}
