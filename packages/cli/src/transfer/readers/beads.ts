import type { Task } from 'worklore-client'
import { numberedLines, parseLine } from '../json-lines.js'
import { collect, emptySource, type Source, type SourceTask } from '../records.js'
import {
  asObject,
  dueDateOf,
  known,
  labelsOf,
  objectsOf,
  optionalText,
  parentOfId,
  requiredText,
  sections,
  textsOf,
  timeOf,
} from '../values.js'

const categories: Record<string, Task['statusCategory']> = { in_progress: 'in_progress', closed: 'done' }
const priorities: Task['priority'][] = ['urgent', 'high', 'medium', 'low', 'low']
const blockingTypes = ['blocks', 'conditional-blocks', 'waits-for']

const taskOf = (place: string, issue: Record<string, unknown>): SourceTask => {
  const id = requiredText(issue, 'id')
  const dependencies = objectsOf(issue.dependencies).map((each) => ({
    type: String(each.type ?? 'blocks'),
    on: String(each.depends_on_id ?? ''),
  }))
  const ofType = (types: string[]): string[] =>
    dependencies.filter(({ type }) => types.includes(type)).map(({ on }) => on)
  const type = optionalText(issue.issue_type)
  const category = categories[String(issue.status)] ?? 'todo'
  const related = dependencies.filter(({ type: each }) => ![...blockingTypes, 'parent-child'].includes(each))
  return {
    place,
    id,
    title: requiredText(issue, 'title'),
    description: sections(optionalText(issue.description), {
      Design: issue.design,
      'Acceptance criteria': issue.acceptance_criteria,
      Notes: issue.notes,
    }),
    ...{ status: category, category, statusName: String(issue.status ?? 'open') },
    priority: priorities[Number(issue.priority ?? 2)] ?? 'medium',
    labels: labelsOf([...textsOf(issue.labels), ...(type && type !== 'task' ? [type] : [])]),
    assignee: optionalText(issue.assignee),
    dueDate: dueDateOf(issue.due_at),
    notBefore: timeOf(issue.defer_until),
    blockedBy: ofType(blockingTypes),
    parentId: ofType(['parent-child'])[0] ?? parentOfId(id),
    origin: known({
      author: issue.created_by,
      createdAt: timeOf(issue.created_at),
      updatedAt: timeOf(issue.updated_at),
      closedAt: timeOf(issue.closed_at),
      closeReason: issue.close_reason,
      status: categories[String(issue.status)] ? undefined : issue.status,
      externalRef: issue.external_ref,
      estimatedMinutes: issue.estimated_minutes,
      related: related.map(({ type: each, on }) => `${each} ${on}`),
    }),
    comments: objectsOf(issue.comments).map((comment) => ({
      author: optionalText(comment.author),
      at: timeOf(comment.created_at),
      text: String(comment.text ?? ''),
    })),
  }
}

/** The issues of beads, one on each line; those that were deleted are left out. */
export const readBeads = async (files: readonly string[]): Promise<Source> => {
  const source = emptySource('beads')
  for (const file of files) {
    for await (const { place, text } of numberedLines(file)) {
      collect(source, place, () => {
        const issue = asObject(parseLine(text))
        if (issue.status !== 'tombstone') source.tasks.push(taskOf(place, issue))
      })
    }
  }
  return source
}
