import { CommandError } from '../../exit-codes.js'
import { collect, emptySource, type Source, type SourceTask } from '../records.js'
import { asObject, known, labelsOf, objectsOf, optionalText, requiredText, timeOf } from '../values.js'

const loginOf = (person: unknown): string | undefined =>
  optionalText((person as { login?: unknown } | undefined)?.login)

const repositoryOf = (url: string | undefined): string =>
  /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/issues\//.exec(url ?? '')?.[1] ?? ''

const taskOf = (place: string, issue: Record<string, unknown>): SourceTask => {
  const number = requiredText(issue, 'number')
  const url = optionalText(issue.url)
  const [assignee, ...assignees] = objectsOf(issue.assignees).flatMap((person) => loginOf(person) ?? [])
  const isClosed = String(issue.state).toLowerCase() === 'closed'
  const isDropped = /not_planned|duplicate/i.test(String(issue.stateReason ?? ''))
  const category = isClosed ? (isDropped ? 'cancelled' : 'done') : 'todo'
  return {
    place,
    id: `${repositoryOf(url)}#${number}`,
    aliases: [`#${number}`],
    title: requiredText(issue, 'title'),
    description: optionalText(issue.body) ?? '',
    ...{ status: category, category },
    priority: 'medium',
    labels: labelsOf(objectsOf(issue.labels).map(({ name }) => String(name ?? ''))),
    assignee,
    blockedBy: [],
    origin: known({
      url,
      author: loginOf(issue.author),
      createdAt: timeOf(issue.createdAt),
      updatedAt: timeOf(issue.updatedAt),
      closedAt: timeOf(issue.closedAt),
      milestone: (issue.milestone as { title?: unknown } | undefined)?.title,
      assignees,
    }),
    comments: objectsOf(issue.comments).map((comment) => ({
      author: loginOf(comment.author),
      at: timeOf(comment.createdAt),
      text: String(comment.body ?? ''),
    })),
  }
}

/** What `gh issue list --json number,title,body,state,labels,…` prints: one array. */
export const readGithub = (file: string, text: string): Source => {
  const source = emptySource('github')
  let issues: unknown
  try {
    issues = JSON.parse(text)
  } catch {
    throw new CommandError(`${file} is not valid JSON.`)
  }
  if (!Array.isArray(issues))
    throw new CommandError(`${file} must be an array of issues, as gh issue list --json prints.`)
  for (const [at, issue] of issues.entries()) {
    const place = `${file}[${at}]`
    collect(source, place, () => source.tasks.push(taskOf(place, asObject(issue))))
  }
  return source
}
