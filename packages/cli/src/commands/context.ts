import { command } from '../command.js'
import { contextText } from '../context-text.js'
import { countOf } from '../input.js'
import { text } from '../option.js'
import { taskIdOf } from '../task-id.js'

export const context = command({
  words: ['[ID]'],
  options: { tokens: text('N', 'At most so many, 200 to 20000; 1500 if not given') },
  run: async (cli, { tokens }, [word]) => {
    const query = tokens === undefined ? {} : { budgetTokens: countOf('--tokens', tokens) }
    const found = await cli.client().tasks.context(taskIdOf(cli, word), query)
    return { body: { data: found }, ids: [found.task.id], text: (screen) => contextText(screen, found) }
  },
})
