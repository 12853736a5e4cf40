import type { CreateTaskBody, Task, UpdateTaskBody } from 'worklore-client'
import { type Cli, command } from '../command.js'
import { CommandError, usageError } from '../exit-codes.js'
import { listOf } from '../input.js'
import { claimOption, flag, text, texts } from '../option.js'
import { asTaskId, taskIdOf, viewFor } from '../task-id.js'
import { changedTask } from '../task-text.js'
import { editText, saveEdited } from '../terminal/editor.js'
import { fieldOptions, fieldsOf } from './task-fields.js'

type WantedCheck = NonNullable<CreateTaskBody['checks']>[number]

/** A check as it is typed: its text, with who decides in front where that is not anyone. */
const checkOf = (typed: string): WantedCheck => {
  const [, verifier, text] = /^\s*(other|human)\s*:\s*(.*)$/is.exec(typed) ?? []
  return text === undefined ? { text: typed } : { text, verifier: verifier!.toLowerCase() as 'other' | 'human' }
}

export const add = command({
  words: ['TITLE'],
  options: {
    label: texts('LABEL', 'Repeat it, or separate several with commas', 'l'),
    'blocked-by': texts('ID', 'A task that must be closed first'),
    check: texts('TEXT', 'What must hold before it is done; "other: " or "human: " in front says who decides'),
    ...fieldOptions,
  },
  run: async (cli, values, [title]) => {
    const { project } = cli.settings
    if (project === undefined) throw usageError('Name the project with --project, WORKLORE_PROJECT or .worklore.json.')
    const task = await cli.client().tasks.create({
      ...((await fieldsOf(cli, values)) as Partial<CreateTaskBody>),
      projectId: project,
      title: title!,
      labels: listOf(values.label),
      blockedBy: listOf(values['blocked-by'])?.map(asTaskId),
      checks: values.check?.map(checkOf),
    })
    return changedTask(task, 'Created')
  },
})

/** The title on the first line, an empty one, and the description. */
const asText = ({ title, description }: Task): string => `${title}\n\n${description}${description ? '\n' : ''}`

const fromText = (text: string): { title: string; description: string } => {
  const [title = '', ...rest] = text.split('\n')
  return { title: title.trim(), description: rest.join('\n').trim() }
}

const editInEditor = async (cli: Cli, id: string, claim: string | undefined): Promise<Task> => {
  const task = await cli.client().tasks.get(id)
  const edited = await editText('task.md', asText(task))
  if (edited.text === asText(task)) {
    edited.remove()
    throw new CommandError('Nothing was changed.')
  }
  const changes = fromText(edited.text)
  return saveEdited(edited, () => viewFor(cli, id, claim).tasks.update(id, changes, { ifMatch: task }))
}

export const edit = command({
  words: ['[ID]'],
  more: 'Without an option, opens its title and description in $EDITOR, on a terminal. "none" clears a value.',
  options: {
    title: text('TEXT'),
    label: texts('LABEL', 'Replaces all labels; none removes them', 'l'),
    'add-label': texts('LABEL', 'Adds a label'),
    'remove-label': texts('LABEL', 'Removes a label'),
    ...fieldOptions,
    'reset-attempts': flag('Let a task whose attempts are used up be claimed again'),
    ...claimOption,
  },
  run: async (cli, values, [word]) => {
    const id = taskIdOf(cli, word)
    const changes: UpdateTaskBody = {
      ...(await fieldsOf(cli, values)),
      title: values.title,
      labels: listOf(values.label)?.filter((label) => label !== 'none'),
      attempts: values['reset-attempts'] ? 0 : undefined,
    }
    const added = listOf(values['add-label']) ?? []
    const removed = listOf(values['remove-label']) ?? []
    const changesLabels = added.length > 0 || removed.length > 0
    if (changesLabels && changes.labels)
      throw usageError('--label cannot be combined with --add-label or --remove-label.')
    if (!changesLabels && Object.values(changes).every((value) => value === undefined)) {
      if (!cli.isInteractive) throw usageError('Say what to change: see wl edit --help. $EDITOR needs a terminal.')
      return changedTask(await editInEditor(cli, id, values['claim-token']), 'Changed')
    }
    const withLabels = ({ labels }: Task): UpdateTaskBody => ({
      ...changes,
      labels: [...labels.filter((label) => !removed.includes(label)), ...added],
    })
    const task = await viewFor(cli, id, values['claim-token']).tasks.update(id, changesLabels ? withLabels : changes)
    return changedTask(task, 'Changed')
  },
})
