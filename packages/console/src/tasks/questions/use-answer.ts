import { type AnswerQuestionBody, ConflictError, type Question } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { useConsole } from '../../store/console'
import { newRequestId, undoOf } from '../../undo/undo-request'
import { tellUndoable } from '../../undo/use-undo-last'

/** Answers and withdraws questions; says why where the service refuses. */
export const useAnswer = (put: (question: Question) => void) => {
  const app = useConsole()
  const { client, toasts } = app
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

  return {
    answer: async ({ id, taskId }: Question, answer: AnswerQuestionBody): Promise<boolean> => {
      const requestId = newRequestId()
      const sent = client.questions.answer(id, answer, { requestId })
      if (!(await orExplain(id, sent, 'The question was not answered.'))) return false
      tellUndoable(app, undoOf(app, `${taskId} answered${answer.option ? `: ${answer.option}` : ''}`, requestId))
      return true
    },
    withdraw: ({ id }: Question): Promise<boolean> =>
      orExplain(id, client.questions.withdraw(id), 'The question was not withdrawn.'),
  }
}
