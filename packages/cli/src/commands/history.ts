import { command } from '../command.js'
import { changeOptions, changesOf, historyAnswer, listHistory } from '../history.js'
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
    return historyAnswer(await listHistory(cli, wl, query, values.limit))
  },
})
