import type { Comment, Question } from 'worklore-client'
import { command } from '../command.js'
import { countOf } from '../input.js'
import { text } from '../option.js'
import { takeRecords } from '../pages.js'
import { taskIdOf } from '../task-id.js'
import { taskAnswer } from '../task-text.js'

export const show = command({
  words: ['[ID]'],
  more: '--json prints the task without its questions and comments.',
  options: { version: text('N', 'The task as it was at this version, without questions and comments') },
  run: async (cli, { version }, [word]) => {
    const wl = cli.client()
    const id = taskIdOf(cli, word)
    if (version !== undefined) {
      return taskAnswer(await wl.tasks.getVersion(id, countOf('--version', version)))
    }
    const task = await wl.tasks.get(id)
    if (!cli.isText) return taskAnswer(task)
    const readComments = async (): Promise<Comment[]> =>
      task.commentCount === 0 ? [] : (await takeRecords((limit) => wl.tasks.comments(task.id).list({ limit }))).data
    const readQuestions = async (): Promise<Question[]> =>
      (await takeRecords((limit) => wl.questions.list({ taskId: task.id, limit }))).data.reverse()
    const [comments, questions] = await Promise.all([readComments(), readQuestions()])
    return taskAnswer(task, { comments, questions })
  },
})
