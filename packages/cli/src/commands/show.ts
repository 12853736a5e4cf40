import type { Comment } from 'worklore-client'
import { command } from '../command.js'
import { countOf } from '../input.js'
import { text } from '../option.js'
import { taskIdOf } from '../task-id.js'
import { taskAnswer } from '../task-text.js'

export const show = command({
  words: ['[ID]'],
  more: '--json prints the task without its comments.',
  options: { version: text('N', 'The task as it was at this version, without comments') },
  run: async (cli, { version }, [word]) => {
    const wl = cli.client()
    const id = taskIdOf(cli, word)
    if (version !== undefined) {
      return taskAnswer(await wl.tasks.getVersion(id, countOf('--version', version)))
    }
    const task = await wl.tasks.get(id)
    const comments: Comment[] = []
    if (task.commentCount > 0 && cli.isText) {
      for await (const each of wl.tasks.comments(task.id).list({ limit: 100 })) comments.push(each)
    }
    return taskAnswer(task, comments)
  },
})
