import { useEffect } from 'react'
import { isChangeOf, type Question } from 'worklore-client'
import { useConsole } from '../../store/console'
import { useLoaded } from '../../store/use-loaded'

const maxQuestions = 100

export interface TaskQuestions {
  /** None was read yet. */
  isLoading: boolean
  /** The oldest first. */
  questions: readonly Question[]
  /** Takes over an answer of the service. */
  put: (question: Question) => void
}

/** The questions about a task, kept up to date by events. */
export const useQuestions = (taskId: string): TaskQuestions => {
  const { client, onEvent } = useConsole()
  const { data, error, reload, set } = useLoaded(
    async (signal) => (await client.questions.list({ taskId, limit: maxQuestions }, { signal })).data.toReversed(),
    ['questions', taskId],
  )
  useEffect(
    () =>
      onEvent((event) => {
        if (isChangeOf(event, 'question') && event.data.taskId === taskId) reload()
      }),
    [onEvent, taskId, reload],
  )
  return {
    isLoading: data === undefined && error === undefined,
    questions: data ?? [],
    put: (question) => set((list) => [...list.filter(({ id }) => id !== question.id), question].sort(byTime)),
  }
}

const byTime = (a: Question, b: Question): number => (a.id < b.id ? -1 : 1)
