import type { Project, Task } from 'worklore-client'
import { findStatus } from '../store/statuses'
import type { TaskCard } from '../store/task-card'

/** What sets the fields of a change back to what they were. */
export const inverseOf = <P extends object>(before: TaskCard | Task, patch: P): P =>
  Object.fromEntries(
    Object.keys(patch).map((name) => [
      name,
      name === 'assigneeId' ? (before.assignee?.id ?? null) : (before as unknown as Record<string, unknown>)[name],
    ]),
  ) as P

/** Whether a status ends the claim of a task. A claim does not come back: the task is handed out again. */
export const endsClaim = (
  { claim }: TaskCard | Task,
  status: string | undefined,
  project: Project | undefined,
): boolean => claim !== null && status !== undefined && findStatus(project, status)?.category !== 'in_progress'

/** What puts a task back as far as that is possible, or null where it would change nothing. */
export const putBackOf = <P extends { status?: string | undefined }>(
  before: TaskCard | Task,
  patch: P,
  project: Project | undefined,
): P | null => {
  const back = { ...inverseOf(before, patch), ...(endsClaim(before, patch.status, project) && { status: 'todo' }) }
  const isChanged = (name: string): boolean =>
    JSON.stringify(back[name as keyof P]) !== JSON.stringify(patch[name as keyof P])
  return Object.keys(back).some(isChanged) ? back : null
}
