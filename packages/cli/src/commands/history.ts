import { command } from '../command.js'
import { changeOptions, changesOf, historyAnswer, readHistory } from '../history.js'
import { limitOf } from '../input.js'
import { flag, limitOption } from '../option.js'
import { asTaskId, isTaskId } from '../task-id.js'

export const history = command({
  words: ['[ID | KEY]'],
  more: 'Newest first.',
  options: {
    ...changeOptions,
    full: flag('Long texts before and after, instead of what differs'),
    limit: limitOption(20),
  },
  run: async (cli, values, [word]) => {
    const wl = cli.client()
    const { project, isProjectExplicit } = cli.settings
    const isTask = word !== undefined && isTaskId(word)
    const query = {
      ...(isTask ? { task: asTaskId(word) } : { knowledge: word }),
      projectId: isTask || !(isProjectExplicit || word === undefined) ? undefined : project,
      ...(await changesOf(wl, values)),
      full: values.full,
    }
    return historyAnswer(await readHistory(wl, query, limitOf(values.limit, 20)))
  },
})
