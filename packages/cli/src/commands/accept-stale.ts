import { command, oneAnswer } from '../command.js'
import { taskIdOf } from '../task-id.js'

export const acceptStale = command({
  words: ['[ID]'],
  more: 'Says that it holds, though notes that it relied on no longer do. Without ID, the task claimed in this folder.',
  run: async (cli, _values, [word]) => {
    const id = taskIdOf(cli, word)
    return oneAnswer(await cli.client().tasks.acceptStale(id), id, `Accepted ${id}.`)
  },
})
