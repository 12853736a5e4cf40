import type { Question, Worklore } from 'worklore-client'
import { type Answer, type Cli, command, oneAnswer } from '../command.js'
import { CommandError, exitConflict, exitNothing, usageError } from '../exit-codes.js'
import { textOf } from '../input.js'
import { userIdOf } from '../named-records.js'
import { claimOption, flag, text, texts } from '../option.js'
import { asTaskId, isTaskId, taskIdOf, tokenOf } from '../task-id.js'
import { ask as prompt } from '../terminal/prompt.js'
import { oneLine, printable } from '../terminal/screen.js'
import { secondsOf } from '../times.js'

const answerText = ({ answer }: Question): string =>
  [answer?.option, answer?.body].filter((part) => part != null).join('\n')

/** What came of a question that was waited for. */
const waited = (cli: Cli, question: Question): Answer => {
  const { id, taskId, state } = question
  const isAnswered = state === 'answered'
  if (!isAnswered && !cli.isJson) {
    cli.note(state === 'open' ? `No answer yet: ${id} about ${taskId} is still open.` : `${id} was withdrawn.`)
  }
  return {
    body: { data: question },
    ids: [id],
    text: () => printable(answerText(question)),
    ...(!isAnswered && { exitCode: exitNothing }),
  }
}

export const ask = command({
  words: ['[ID]', 'TEXT'],
  more: `Without ID, the task claimed in this folder. The claim ends, and the task comes back to wl next with the answer.
TEXT may be - for standard input. --wait prints the answer; exit code 3: none came.`,
  options: {
    option: texts('TEXT', 'Something to choose from; repeat it'),
    to: text('USER', 'A user by id, handle, name or email; any person if not given'),
    wait: text('TIME', 'Wait for the answer, at most so long: 30s, 10m, 2h'),
    'keep-claim': flag('Go on with the task'),
    ...claimOption,
  },
  run: async (cli, values, words) => {
    const [word, body] = words.length === 1 ? [undefined, words[0]!] : [words[0], words[1]!]
    const waitSeconds = secondsOf('--wait', values.wait)
    const id = taskIdOf(cli, word)
    const wl = cli.client()
    const to = (await userIdOf(wl, values.to)) ?? undefined
    const token = tokenOf(cli, id, values['claim-token'])
    const keepClaim = values['keep-claim']
    const { questions } = token === undefined ? wl : wl.fenced(token)
    const asked = await questions.create(id, { body: await textOf(body), options: values.option, to, keepClaim })
    if (token !== undefined && !keepClaim) cli.claims.forget(id)
    if (waitSeconds === undefined) return oneAnswer(asked, asked.id, `Asked ${asked.id} about ${id}.`)
    if (cli.screen.isTerminal && cli.isText) cli.note(`Asked ${asked.id} about ${id}; waiting for the answer.`)
    return waited(cli, await wl.questions.wait(asked.id, { waitSeconds }))
  },
})

/** The option that a word means: by its text or its number. */
const optionOf = (options: readonly string[], word: string): string => {
  const sameText = options.find((option) => option.toLowerCase() === word.trim().toLowerCase())
  const found = sameText ?? (/^\d+$/.test(word) ? options[Number(word) - 1] : undefined)
  if (found !== undefined) return found
  const all = options.map((option, at) => `${at + 1} ${JSON.stringify(option)}`).join(', ')
  throw usageError(`"${word}" is not one of the options: ${all}.`)
}

const questionText = ({ taskId, body, options }: Question): string =>
  [`${taskId}: ${body}`, ...(options ?? []).map((option, at) => `  ${at + 1} ${oneLine(option)}`)].join('\n')

/** The question that a word means: by its id, or as the only open one of a task. */
const questionOf = async ({ questions }: Worklore, word: string): Promise<Question> => {
  if (!isTaskId(word)) return questions.get(word)
  const taskId = asTaskId(word)
  const { data } = await questions.list({ taskId, state: 'open' })
  if (data.length === 1) return data[0]!
  if (data.length === 0) throw new CommandError(`${taskId} has no open question.`, exitNothing)
  throw new CommandError(`${taskId} has several open questions: ${data.map(({ id }) => id).join(', ')}.`, exitConflict)
}

export const answer = command({
  words: ['QUESTION-ID|ID', '[ANSWER]'],
  more: `ID is a task with one open question. ANSWER is one of the options, by its text or its number, or a text where there are none; - reads it from standard
input. Without it, shows the question and asks for the answer, on a terminal. Exit code 5: it is no longer open.`,
  options: { message: text('TEXT', 'What else to say, beside an option; - reads it from standard input', 'm') },
  run: async (cli, { message }, [asked, word]) => {
    const wl = cli.client()
    const question = await questionOf(wl, asked!)
    const { id, options } = question
    if (word === undefined && !cli.isInteractive) throw usageError(`Say what to answer. ${questionText(question)}`)
    if (!options && message !== undefined) throw usageError(`-m is for questions with options; ${id} has none.`)
    const said = word === undefined ? await prompt(`${questionText(question)}\nAnswer: `) : await textOf(word)
    const body = options ? { option: optionOf(options, said), body: await textOf(message) } : { body: said }
    const answered = await wl.questions.answer(id, body)
    return oneAnswer(answered, answered.id, `Answered ${answered.id} about ${answered.taskId}.`)
  },
})
