import type { Json } from '../../../base/json.js'
import { cardJson, taskJson } from '../json-store.js'

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

export const jsonOfForm: Readonly<Record<TaskForm, string>> = { task: taskJson, card: cardJson }

/** Counting stops here, unless an exact count is asked for. */
export const cappedTotal = 1_000
