import { type AnswerQuestionBody, ConflictError, type Question } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { useConsole } from '../../store/console'
import type { UndoEntry } from '../../store/undo-stack'

/** Answers and withdraws questions; says why where the service refuses. */
export const useAnswer = (put: (question: Question) => void) => {
  const { client, toasts, undo, me } = useConsole()
  const orExplain = async (id: string, changed: Promise<Question>, what: string): Promise<boolean> => {
    try {
      put(await changed)
      return true
    } catch (error) {
      toasts.error(`${what} ${errorText(error)}`)
      // Someone else was faster: what is shown is not how it is.
      if (error instanceof ConflictError) await client.questions.get(id).then(put, () => undefined)
      return false
    }
  }

  const undoOf = (what: string, requestId: string): UndoEntry => ({
    what,
    run: async () => {
      const { undone } = await client.history.undo({ requestId, dryRun: false })
      if (undone.length === 0) throw new Error('Someone else has changed the question since.')
    },
  })

  return {
    answer: async ({ id, taskId }: Question, answer: AnswerQuestionBody): Promise<boolean> => {
      const requestId = `console-${Date.now()}-${Math.random().toString(36).slice(2)}`
      const sent = client.questions.answer(id, answer, { requestId })
      if (!(await orExplain(id, sent, 'The question was not answered.'))) return false
      const what = `${taskId} answered${answer.option ? `: ${answer.option}` : ''}`
      if (!hasScope(me.get(), 'admin')) toasts.info(what)
      else {
        const entry = undoOf(what, requestId)
        undo.push(entry)
        const run = (): void => {
          undo.remove(entry)
          entry.run?.().catch((error) => toasts.error(`Could not undo “${what}”. ${errorText(error)}`))
        }
        toasts.info(what, { label: 'Undo', run })
      }
      return true
    },
    withdraw: ({ id }: Question): Promise<boolean> =>
      orExplain(id, client.questions.withdraw(id), 'The question was not withdrawn.'),
  }
}
