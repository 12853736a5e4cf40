import { onDemand } from '../../../components/on-demand'

/** Long texts of a task. */
export type TextField = 'description' | 'result'

export const textNames: Record<TextField, string> = { description: 'Description', result: 'Result' }

/** Storage names of the drafts. */
export const textDraftName = (field: TextField, taskId: string): string =>
  field === 'description' ? `task.${taskId}` : `result.${taskId}`

export const TextEditor = onDemand(() => import('./text-editor').then(({ TextEditor }) => ({ default: TextEditor })))
