import type { Task } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { taskIdOf } from '../task-id.js'

export const acceptStale = command({
  words: ['[ID]'],
  more: 'Says that it holds, though notes that it relied on no longer do. Without ID, the task claimed in this folder.',
  run: async (cli, _values, [word]) => {
    const id = taskIdOf(cli, word)
    const path = `/v1/tasks/${encodeURIComponent(id)}/stale/accept`
    const { data } = await cli.client().request<{ data: Task }>({ method: 'POST', path, body: {} })
    return oneAnswer(data, id, `Accepted ${id}.`)
  },
})
