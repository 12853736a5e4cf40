import type { Project } from 'worklore-client'
import { type Answer, command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { countOf } from '../input.js'
import { flag, text } from '../option.js'
import { takeRecords } from '../pages.js'
import { confirm } from '../terminal/prompt.js'
import { listAnswer } from '../terminal/table.js'

const changed = (project: Project, what: string): Answer =>
  oneAnswer(project, project.key, `${what} ${project.key}: ${project.name}`)

const options = {
  name: text('NAME'),
  description: text('TEXT', '', 'd'),
  visibility: text('WHO', 'tenant: everyone; private: admins and members (wl members)'),
  'max-attempts': text('N', 'How often a task can be claimed before a person has to look at it'),
}

interface Fields {
  name?: string | undefined
  description?: string | undefined
  visibility?: string | undefined
  'max-attempts'?: string | undefined
}

const fieldsOf = ({ name, description, visibility, ...values }: Fields) => {
  const attempts = values['max-attempts']
  return {
    name,
    description,
    visibility: visibility as Project['visibility'] | undefined,
    maxAttempts: attempts === undefined ? undefined : countOf('--max-attempts', attempts, 100),
  }
}

export const projects = command({
  run: async (cli) => {
    const wl = cli.client()
    return listAnswer(await takeRecords((limit) => wl.projects.list({ limit })), 'key', [
      ['KEY', 'key', 'cyan'],
      ['ID', 'id'],
      ['ATTEMPTS', 'maxAttempts'],
      ['VISIBILITY', 'visibility'],
      ['PAUSED', ({ paused }) => (paused ? 'paused' : '')],
      ['NAME', 'name'],
    ])
  },
})

export const create = command({
  words: ['NEW-KEY'],
  more: 'The key is 2 to 10 of A-Z and 0-9, a letter first; the tasks are KEY-1, KEY-2 and so on.',
  options,
  run: async (cli, values, [key]) => {
    const project = await cli.client().projects.create({ ...fieldsOf(values), key: key!, name: values.name ?? key! })
    return changed(project, 'Created')
  },
})

export const edit = command({
  words: ['PROJECT'],
  options,
  run: async (cli, values, [key]) => {
    const changes = fieldsOf(values)
    if (Object.values(changes).every((value) => value === undefined))
      throw usageError('Say what to change: --name, -d, --visibility or --max-attempts.')
    return changed(await cli.client().projects.update(key!, changes), 'Changed')
  },
})

export const rm = command({
  words: ['PROJECT'],
  options: { force: flag('Delete its tasks and notes with it') },
  run: async (cli, { force }, [key]) => {
    await confirm(cli, `This deletes the project ${key}${force ? ' with all its tasks and notes' : ''}.`)
    const data = await cli.client().projects.delete(key!, { force })
    return oneAnswer(data, key!, `Deleted ${key}.`)
  },
})
