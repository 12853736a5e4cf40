import { type Project, taskStatuses } from 'worklore-client'
import { command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { contentOf } from '../input.js'
import { flag, text } from '../option.js'
import { listAnswer } from '../terminal/table.js'

type Statuses = NonNullable<Project['statuses']>
type ProjectStatus = Statuses[number]

const builtIn: Statuses = taskStatuses.map((status) => ({ status, name: status, category: status }))

/** `in_qa:In QA:in_review`; the name may be left out, and may contain colons. */
const statusOf = (word: string): ProjectStatus => {
  const parts = word.split(':')
  const [status, category] = [parts[0]!, parts.at(-1)!]
  if (parts.length < 2 || status === '')
    throw usageError(`"${word}": say STATUS:NAME:CATEGORY, as in in_qa:In QA:in_review.`)
  return { status, name: parts.slice(1, -1).join(':') || status, category: category as ProjectStatus['category'] }
}

const statusesIn = (json: string): Statuses => {
  try {
    return JSON.parse(json) as Statuses
  } catch {
    throw usageError('--from needs a JSON array of {"status", "name", "category"}.')
  }
}

export const statuses = command({
  words: ['PROJECT', '[STATUS:NAME:CATEGORY...]'],
  more: `Lists the statuses of a project, or sets all of them, in the order of its board. A category is one of ${taskStatuses.join(', ')}; each needs at least one status, and its first is what claims and releases set. Exit code 5: tasks have a status that would be removed.`,
  options: {
    from: text('FILE', 'A JSON array of {"status", "name", "category"}; - reads it from standard input'),
    'built-in': flag('Go back to the built-in statuses'),
  },
  run: async (cli, values, [key, ...words]) => {
    const { projects } = cli.client()
    const ways = [words.length > 0, values.from !== undefined, values['built-in'] === true].filter(Boolean).length
    if (ways > 1) throw usageError('Name the statuses, or use one of --from and --built-in.')
    const wanted = (): Promise<Statuses> | Statuses =>
      values.from === undefined ? words.map(statusOf) : contentOf(values.from).then(statusesIn)
    const project =
      ways === 0
        ? await projects.get(key!)
        : await projects.update(key!, { statuses: values['built-in'] ? null : await wanted() })
    return listAnswer({ data: project.statuses ?? builtIn }, 'status', [
      ['STATUS', 'status', 'cyan'],
      ['CATEGORY', 'category'],
      ['NAME', 'name'],
    ])
  },
})
