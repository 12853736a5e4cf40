import type { RankTaskBody } from 'worklore-client'
import { command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { flag, text } from '../option.js'
import { asTaskId, viewFor } from '../task-id.js'
import { changedTask } from '../task-text.js'

export const rank = command({
  words: ['ID'],
  more: 'wl ls lists tasks in that order when sorted by rank.',
  options: {
    before: text('ID', 'In front of another task'),
    after: text('ID', 'Behind another task'),
    top: flag('In front of all tasks of its project'),
    bottom: flag('Behind all tasks of its project'),
  },
  run: async (cli, { before, after, top, bottom }, [word]) => {
    const places: RankTaskBody[] = [
      ...(before === undefined ? [] : [{ before: asTaskId(before) }]),
      ...(after === undefined ? [] : [{ after: asTaskId(after) }]),
      ...(top ? [{ to: 'top' as const }] : []),
      ...(bottom ? [{ to: 'bottom' as const }] : []),
    ]
    const [place, ...others] = places
    if (!place || others.length > 0) throw usageError('Use one of --before, --after, --top and --bottom.')
    const id = asTaskId(word!)
    return changedTask(await viewFor(cli, id).tasks.rank(id, place), 'Ranked')
  },
})
