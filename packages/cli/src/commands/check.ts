import type { DecideCheckBody } from 'worklore-client'
import { command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { textOf } from '../input.js'
import { text } from '../option.js'
import { taskIdOf } from '../task-id.js'
import { changedTask } from '../task-text.js'

const states: Readonly<Record<string, DecideCheckBody['state']>> = {
  pass: 'passed',
  fail: 'failed',
  waive: 'waived',
  open: 'open',
}

export const check = command({
  words: ['[ID]', 'CHECK', 'pass|fail|waive|open'],
  more: `Without ID, the task claimed in this folder; CHECK is such as c1, see wl show. All but open need evidence. Waiving
takes a person or an admin key, and the reason. Exit code 4: the check is for others to decide.`,
  options: {
    evidence: text('TEXT', 'A link, a command with its output, a sentence; - reads it from standard input', 'e'),
  },
  run: async (cli, { evidence }, words) => {
    const [word, checkId, verdict] = words.length === 2 ? [undefined, ...words] : words
    const state = states[verdict!]
    if (state === undefined) throw usageError(`"${verdict}" must be one of ${Object.keys(states).join(', ')}.`)
    const id = taskIdOf(cli, word)
    const decision = { state, evidence: await textOf(evidence) }
    const task = await cli.client().tasks.decideCheck(id, checkId!.toLowerCase(), decision)
    return changedTask(task, `${checkId} ${state}:`)
  },
})
