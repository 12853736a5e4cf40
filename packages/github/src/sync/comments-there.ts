import { type IssueComment, issueNumberOf } from '../github/records.js'
import type { CommentTarget } from './comment-pairs.js'
import { announceCopies, copyInward, copyToNewTasks } from './comments-inward.js'
import { guarded, learn, type Round } from './round.js'

const groupedByIssue = (comments: readonly IssueComment[]): Map<number, IssueComment[]> => {
  const groups = new Map<number, IssueComment[]>()
  for (const comment of comments) {
    // Those of pull requests are in the same list.
    if (comment.html_url.includes('/pull/')) continue
    const number = issueNumberOf(comment)
    groups.set(number, [...(groups.get(number) ?? []), comment])
  }
  return groups
}

/** Comments that changed on GitHub since a time. */
export const commentsChanged = async (
  round: Round,
  comments: readonly IssueComment[],
  since: string | undefined,
): Promise<void> => {
  const { context, tasks, fresh, announced, copied, dropped, unfinished } = round
  const groups = groupedByIssue(comments)
  await learn(round, [...groups.keys()])
  const isNew = ({ id, created_at }: IssueComment): boolean =>
    !dropped.has(id) && (since === undefined || created_at >= since)
  const toFresh: [CommentTarget, IssueComment][] = []
  for (const [number, group] of groups) {
    const task = tasks.get(number)
    if (announced.has(number)) announceCopies(context, number, group)
    if (!task) continue
    // One that is edited during an import comes a second time.
    const first = fresh.has(number) ? group.filter(({ id }) => !copied.has(id)) : []
    for (const comment of first) {
      copied.add(comment.id)
      toFresh.push([{ number, task }, comment])
    }
    const others = group.filter((comment) => !first.includes(comment))
    if (others.length === 0) continue
    await guarded(round, number, async () => {
      const current = fresh.has(number) ? await context.wl.tasks.get(task.id) : task
      if (!(await copyInward(context, { number, task: current }, others, isNew))) unfinished.add(number)
    })
  }
  for (const number of await copyToNewTasks(context, toFresh)) unfinished.add(number)
}
