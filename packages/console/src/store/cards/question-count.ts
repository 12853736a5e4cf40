import type { ChangeEvent, ChangeOf } from 'worklore-client'

/** Whether it released the task in order to ask: the count of its questions includes the one that follows. */
const isReleasedToAsk = (event: ChangeEvent | undefined): event is ChangeOf<'task'> =>
  event?.type === 'task.released' && 'attempts' in (event.previous ?? {})

/** By how much an event of a question changes the number of its task's open questions; `last` is the event before it. */
export const questionStep = (event: ChangeOf<'question'>, last: ChangeEvent | undefined): 1 | 0 | -1 => {
  const { state, taskId } = event.data
  const before = event.previous?.state
  if (state !== 'open') return before === 'open' ? -1 : 0
  // Asking another user changes no state.
  if (event.previous && before === undefined) return 0
  const isCounted = isReleasedToAsk(last) && last.sequence === event.sequence - 1 && last.data.id === taskId
  return isCounted ? 0 : 1
}
