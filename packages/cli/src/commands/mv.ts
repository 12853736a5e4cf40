import { command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { claimOption } from '../option.js'
import { asTaskId, viewFor } from '../task-id.js'
import { changedTask } from '../task-text.js'

export const mv = command({
  words: ['ID'],
  more: 'Moves a task to the project that --project names. Its subtasks go with it. Their ids stay.',
  options: { ...claimOption },
  run: async (cli, { 'claim-token': claim }, [word]) => {
    const { project, isProjectExplicit } = cli.settings
    if (!isProjectExplicit || project === undefined) throw usageError('Name the project to move it to with --project.')
    const id = asTaskId(word!)
    return changedTask(await viewFor(cli, id, claim).tasks.move(id, project), 'Moved')
  },
})
