import { type Answer, type Cli, command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { asTaskId, viewFor } from '../task-id.js'
import { changedTask } from '../task-text.js'

/** Changes what the first of the tasks waits for. */
const change = async (
  cli: Cli,
  words: string[],
  blockersOf: (present: string[], named: string[]) => string[],
): Promise<Answer> => {
  const [id, ...named] = words.map(asTaskId) as [string, ...string[]]
  if (named.includes(id)) throw usageError(`${id} cannot block itself.`)
  const task = await viewFor(cli, id).tasks.update(id, ({ blockedBy }) => ({ blockedBy: blockersOf(blockedBy, named) }))
  return changedTask(task, task.blockedBy.length > 0 ? `Blocked by ${task.blockedBy.join(', ')}:` : 'Unblocked')
}

export const block = command({
  words: ['ID', 'BLOCKER...'],
  more: 'Exit code 5: they would wait for each other.',
  run: (cli, _values, words) => change(cli, words, (present, named) => [...new Set([...present, ...named])]),
})

export const unblock = command({
  words: ['ID', '[BLOCKER...]'],
  more: 'For any of the others, if none is named.',
  run: (cli, _values, words) =>
    change(cli, words, (present, named) => present.filter((each) => named.length > 0 && !named.includes(each))),
})
