import type { Task, TaskFilters } from 'worklore-client'
import { openStatuses } from '../choices.js'
import { command } from '../command.js'
import { listOf } from '../input.js'
import { userIdOf } from '../named-records.js'
import { flag, limitOption, text, texts } from '../option.js'
import { takeLimited } from '../pages.js'
import { asTaskId } from '../task-id.js'
import { taskColumns } from '../task-text.js'
import { listAnswer } from '../terminal/table.js'
import { pastTime } from '../times.js'

export const ls = command({
  more: 'The open ones, unless --status or --all is given. -p all lists every project.',
  options: {
    status: texts('STATUS', '', 's'),
    all: flag('Closed tasks too', 'a'),
    label: texts('LABEL', 'With one of these labels', 'l'),
    priority: texts('PRIORITY'),
    assignee: text('USER', 'A user by id, handle, name or email; me; none'),
    ready: flag('Only those that can be claimed now'),
    claimed: flag('Only those that someone works on'),
    mine: flag('Only those claimed by your key'),
    'created-by': text('KEY-ID', 'Created by a key; me'),
    verify: flag('Only those in review with a check that you may decide'),
    exhausted: flag('Only those whose attempts are used up'),
    stale: flag('Only those that relied on notes that no longer hold'),
    parent: text('ID', 'Subtasks of a task; none for the top level'),
    'blocked-by': text('ID', 'What waits for a task'),
    blocks: text('ID', 'What a task waits for'),
    'due-before': text('DATE', 'Due before a date or time'),
    'updated-since': text('TIME', 'Changed within 20m, 3d, or since a time'),
    'external-id': text('TEXT', 'By the identifier in another system'),
    sort: text('ORDER', 'with - in front descending (--sort=-priority)'),
    limit: limitOption(50),
  },
  run: async (cli, values) => {
    const wl = cli.client()
    const isOpenOnly = !values.status && !values.all && !values['external-id']
    const filters: TaskFilters = {
      projectId: cli.settings.project,
      status: isOpenOnly ? openStatuses : listOf(values.status),
      label: listOf(values.label),
      priority: listOf(values.priority) as Task['priority'][] | undefined,
      assignee: values.assignee && ((await userIdOf(wl, values.assignee)) ?? 'none'),
      ready: values.ready,
      claimed: values.claimed,
      claimedBy: values.mine ? 'me' : undefined,
      createdBy: values['created-by'],
      canVerify: values.verify,
      exhausted: values.exhausted,
      stale: values.stale,
      parentId: values.parent && asTaskId(values.parent),
      blockedBy: values['blocked-by'] && asTaskId(values['blocked-by']),
      blocks: values.blocks && asTaskId(values.blocks),
      dueBefore: values['due-before'],
      updatedAfter: pastTime('--updated-since', values['updated-since']),
      externalId: values['external-id'],
      sort: values.sort as TaskFilters['sort'],
    }
    const body = await takeLimited(cli, (limit) => wl.tasks.list({ ...filters, limit }), values.limit, 50)
    if (cli.screen.isTerminal && cli.isText && body.data.length === 0) cli.note('No tasks.')
    return listAnswer(body, 'id', taskColumns)
  },
})
