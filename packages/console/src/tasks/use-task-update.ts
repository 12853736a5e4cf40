import type { Task, UpdateTaskBody } from 'worklore-client'
import { errorText } from '../api/error-text'
import { useConsole } from '../store/console'

/** Changes fields that only the open task shows; says why where the service refuses. */
export const useTaskUpdate = (task: Task, accept: (task: Task) => void) => {
  const { client, toasts } = useConsole()
  return async (patch: UpdateTaskBody): Promise<void> => {
    try {
      accept(await client.tasks.update(task.id, patch))
    } catch (error) {
      toasts.error(`${task.id} was not changed. ${errorText(error)}`)
    }
  }
}
