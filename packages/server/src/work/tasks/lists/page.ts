import type { Json } from '../../../base/json.js'
import { cardJson, taskJson } from '../json-store.js'
import { type Asker, readyCondition } from '../queue/readiness-store.js'
import type { Condition } from './condition-store.js'

export type Position = [sortValue: number, projectId: string, number: number]

export interface FoundPage<P = Position> {
  tasks: Json<object[]>
  /** The positions of the page's last task and of the one after it. */
  positions: P[]
  /** Null if the page starts at a position. */
  total: number | null
}

/** The full task, or its card. */
export type TaskForm = 'task' | 'card'

/** SQL for the JSON of a listed task `t`, with its parameters. */
export type RowForm = Condition

/** Returns the SQL of a form. Cards include whether the asker could claim the task. */
export const rowFormOf = (form: TaskForm, asker: Asker): RowForm => {
  if (form === 'task') return { name: 'tasks', text: () => taskJson, params: [] }
  const ready = readyCondition(asker)
  return {
    name: `cards ${ready.name}`,
    text: (dialect) => cardJson(dialect, ready.text(dialect)),
    params: ready.params,
  }
}

/** Counting stops here, unless an exact count is asked for. */
export const cappedTotal = 1_000
