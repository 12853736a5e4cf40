import { command } from '../command.js'
import { flag } from '../option.js'
import { asTaskId, viewFor } from '../task-id.js'
import { confirm } from '../terminal/prompt.js'

export const rm = command({
  words: ['ID...'],
  options: { force: flag('Delete their subtasks too') },
  run: async (cli, { force }, words) => {
    const ids = words.map(asTaskId)
    await confirm(cli, `This deletes ${ids.join(', ')}${force ? ' and all subtasks' : ''}.`)
    const deleted = []
    for (const id of ids) {
      deleted.push(await viewFor(cli, id).tasks.delete(id, { force }))
      cli.claims.forget(id)
    }
    return {
      body: deleted.length === 1 ? { data: deleted[0] } : { data: deleted },
      ids,
      text: ({ isTerminal }) => (isTerminal ? `Deleted ${ids.join(', ')}.` : ids.join('\n')),
    }
  },
})
