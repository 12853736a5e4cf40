import type { OperationCall } from '../../operations/operation.js'
import { getQuestion, listQuestions } from '../../work/tasks/questions/operations.js'
import type { Question } from '../../work/tasks/questions/schema.js'
import { fittingLines } from '../budget.js'
import { run } from '../run.js'
import { asData, dayText, quoted, word } from './text.js'

const maxShown = 20

const answerParts = ({ option, body }: NonNullable<Question['answer']>, longest: number): string =>
  [option, body].flatMap((part) => (part === null ? [] : [quoted(part, longest)])).join(', ')

const headingOf = ({ id, state, to, answer }: Question, userId: string | null): string => {
  if (answer) return `${id} answered ${dayText(answer.at)} by ${word(answer.by.keyName)}`
  return `${id} ${state}${to === null ? '' : ` to ${to === userId ? 'you' : to}`}`
}

const lineOf = (question: Question, heading: string, longest: number): string => {
  const { id, body, options, answer } = question
  const parts = [`${heading}: ${quoted(body, longest)}`]
  if (answer) parts.push(`answer ${answerParts(answer, longest)}`)
  else if (options) parts.push(`options ${options.map((option) => quoted(option, longest)).join(' ')}`)
  const texts = [body, answer?.option, answer?.body, ...(answer ? [] : (options ?? []))]
  if (texts.some((text) => text && text.length > longest)) parts.push(`whole: get_task cursor ${id}`)
  return parts.join(', ')
}

/** The newest questions about a task in a line each, the oldest of them first, cut to fit. */
export const questionsText = async (call: OperationCall, taskId: string, budget: number): Promise<string[]> => {
  const { data, pagination } = await run(call, listQuestions, { taskId, limit: maxShown })
  if (data.length === 0) return []
  const line = (question: Question, longest: number) =>
    lineOf(question, headingOf(question, call.actor.userId), longest)
  const lines = fittingLines(data, line, budget)
  return [pagination.hasMore ? `questions, the newest ${lines.length}:` : 'questions:', ...lines.reverse()]
}

/** The newest open questions to the user of the key, in a line each. */
export const questionsToActor = async (
  call: OperationCall,
  projectId: string | undefined,
  budget: number,
): Promise<string[]> => {
  if (call.actor.userId === null) return []
  const ofProject = projectId === undefined ? {} : { projectId }
  const { data } = await run(call, listQuestions, { to: 'me', state: 'open', limit: maxShown, ...ofProject })
  if (data.length === 0) return []
  const line = (question: Question, longest: number) =>
    lineOf(question, `${question.id} about ${question.taskId}`, longest)
  return ['questions to you, for add_comment to answer:', ...fittingLines(data, line, budget)]
}

/** The whole of a question about a task, where a cursor names one. */
export const wholeQuestion = async (
  call: OperationCall,
  taskId: string,
  cursor: string,
): Promise<string[] | undefined> => {
  if (!cursor.startsWith('qst_')) return undefined
  const { data: question } = await run(call, getQuestion, { questionId: cursor })
  if (question.taskId !== taskId) return undefined
  const { body, options, answer } = question
  const choice = options ? [`options ${options.map((option) => quoted(option, Infinity)).join(' ')}`] : []
  const said = answer
    ? ['answer:', asData([answer.option, answer.body].filter((part) => part !== null).join('\n'))]
    : []
  return [`${headingOf(question, call.actor.userId)}:`, asData(body), ...choice, ...said]
}
