import { command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { textOf } from '../input.js'
import { claimOption, text } from '../option.js'
import { taskIdOf, viewFor } from '../task-id.js'
import { editText, saveEdited } from '../terminal/editor.js'

export const comment = command({
  words: ['[ID]'],
  more: 'On a terminal, without -m, opens $EDITOR.',
  options: { message: text('TEXT', 'Markdown; - reads it from standard input', 'm'), ...claimOption },
  run: async (cli, { message, 'claim-token': claim }, [word]) => {
    const id = taskIdOf(cli, word)
    if (message === undefined && !cli.isInteractive)
      throw usageError('Say what to comment with -m TEXT, or -m - for standard input.')
    const create = (body: string) => viewFor(cli, id, claim).tasks.comments(id).create({ body })
    const edited = message === undefined ? await editText('comment.md', '') : undefined
    const made = edited ? await saveEdited(edited, () => create(edited.text)) : await create(await textOf(message!))
    return oneAnswer(made, made.id, `Commented on ${id}.`)
  },
})
