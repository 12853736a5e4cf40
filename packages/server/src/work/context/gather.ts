import type { SearchEngine } from 'worklore-search'
import { isoTime } from '../../base/clock.js'
import { claimChangesOf } from '../../changelog/versions/claims.js'
import { holdsScope } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import type { OperationCall } from '../../operations/operation.js'
import type { KnowledgeHit } from '../knowledge/schema.js'
import { itemsAbout } from '../knowledge/search/search.js'
import { listQuestions } from '../tasks/questions/list.js'
import type { Question } from '../tasks/questions/schema.js'
import { ancestorIds, newestComments, visibleTasks } from '../tasks/related.js'
import type { FoundTask, Task } from '../tasks/schema.js'
import { tasksAbout } from '../tasks/search/similar.js'
import { getTask } from '../tasks/service.js'
import type { Context, PartName } from './schema.js'

/** Everything that a context could show, the most important of each part first. */
export type Gathered = Pick<Context, 'task' | PartName>

const maxAncestors = 10
const maxBlockers = 50
const maxAnswers = 20
const maxClaimChanges = 40
const maxComments = 50
const maxItems = 20
const passagesPerItem = 2
const maxSimilarTasks = 30
const maxNeighbours = 5
const maxDone = 10
/** A search looks at the beginning of a text only. */
const maxQueryLength = 1_000
/** What is less relevant by so much than the best has nothing to do with it. A long text has low scores. */
const minShareOfBest = 0.05

const contextTask = ({ checks, description, ...task }: Task) => ({
  ...{ id: task.id, projectId: task.projectId, title: task.title, status: task.status, priority: task.priority },
  ...{ labels: task.labels, dueDate: task.dueDate, resources: task.resources },
  checks: checks.map(({ id, text, state }) => ({ id, text, state })),
  description,
})

const linked = ({ id, title, status, result }: Task) => ({ id, title, status, result })

const named = (ids: readonly string[]) => ids.map((id) => ({ id, score: 1 }))

const answersTo = async (call: Call, taskId: string): Promise<Context['answers']> => {
  const { items } = await listQuestions(call, { taskId, state: 'answered', limit: maxAnswers })
  return items.map((json) => {
    const { body, answer } = JSON.parse(json) as Question
    const said = [answer?.option, answer?.body].filter(Boolean).join(': ')
    return { question: body, answer: said, by: answer?.by.keyName ?? '' }
  })
}

/** The claims of a task that are over, the newest first. */
const attemptsAt = async (call: Call, { id, claim }: Task): Promise<Context['attempts']> => {
  const changes = await claimChangesOf(call, id, maxClaimChanges)
  const attempts: {
    by: { keyId: string; keyName: string }
    ended: 'released' | 'expired' | 'replaced'
    atMs: number
  }[] = []
  let holder: { keyId: string; keyName: string } | undefined
  for (const { type, atMs, by } of changes) {
    const ended = type === 'task.claimed' ? 'replaced' : type === 'task.released' ? 'released' : 'expired'
    if (holder) attempts.push({ by: holder, ended, atMs })
    holder = type === 'task.claimed' ? by : undefined
  }
  if (attempts.length === 0) return []
  const comments = await newestComments(call, id, maxComments)
  const isNow = (atMs: number) => claim !== null && atMs > Date.parse(claim.claimedAt)
  return attempts
    .filter(({ atMs }) => !isNow(atMs))
    .reverse()
    .map(({ by, ended, atMs }) => {
      const last = comments.find(
        ({ createdBy, createdAt }) => createdBy.keyId === by.keyId && Date.parse(createdAt) <= atMs,
      )
      return { by: by.keyName, ended, at: isoTime(atMs), comment: last?.body ?? null }
    })
}

/** What a task says, as it is searched for. */
const queryOf = ({ title, description, labels }: Task, parent: Task | undefined): string =>
  [title, labels.join(' '), parent?.title ?? '', description].filter(Boolean).join('\n').slice(0, maxQueryLength)

/** Of items that are about as relevant, those that were verified come first. */
const trustFactor = { verified: 1.15, unreviewed: 1, disputed: 0.5 } as const

/** A passage without its own heading, which is told apart from it. */
const bodyOf = ({ text, heading }: { text: string; heading: string | null }): string =>
  (heading === null ? '' : text.replace(/^#{1,6}[^\n]*/, '').trim()) || text.trim()

/** First the best passage of each item, then the others. */
const passagesOf = (hits: readonly KnowledgeHit[]): Context['knowledge'] => {
  const worth = ({ score, trust }: KnowledgeHit) => score * trustFactor[trust]
  const sorted = hits.toSorted((a, b) => worth(b) - worth(a))
  const ranked = sorted.filter((hit) => worth(hit) >= minShareOfBest * worth(sorted[0]!))
  return Array.from({ length: passagesPerItem }, (_, place) =>
    ranked.flatMap(({ key, projectId, title, trust, passages = [] }) => {
      const passage = passages[place]
      return passage
        ? [
            {
              key,
              projectId,
              title,
              trust,
              heading: passage.heading,
              start: passage.start,
              passage: bodyOf(passage),
            },
          ]
        : []
    }),
  ).flat()
}

type Searched = Pick<Context, 'knowledge' | 'neighbours' | 'similarDone'>
const nothingSearched: Searched = { knowledge: [], neighbours: [], similarDone: [] }

const inProgressOrDone = ['in_progress', 'done'] as const

const isHeld = ({ claim }: FoundTask, nowMs: number): boolean => claim !== null && Date.parse(claim.expiresAt) > nowMs

const searched = async (
  call: OperationCall,
  engine: SearchEngine,
  task: Task,
  parent: Task | undefined,
): Promise<Searched> => {
  const text = queryOf(task, parent)
  const { projectId } = task
  const items = holdsScope(call.actor, 'knowledge:read')
    ? itemsAbout(call, engine, text, { projectId, limit: maxItems, passages: passagesPerItem }, call)
    : []
  const wanted = { projectId, statuses: inProgressOrDone, exceptId: task.id, limit: maxSimilarTasks }
  const [hits, ids] = await Promise.all([items, tasksAbout(call, engine, task.title, wanted, call)])
  const tasks = await visibleTasks(call, ids)
  const nowMs = call.clock()
  return {
    knowledge: passagesOf(hits),
    neighbours: tasks
      .filter((other) => isHeld(other, nowMs))
      .slice(0, maxNeighbours)
      .map(({ id, title, claim }) => ({ id, title, by: claim!.keyName, worker: claim!.worker })),
    similarDone: tasks
      .filter(({ status }) => status === 'done')
      .slice(0, maxDone)
      .map(({ id, title, result }) => ({ id, title, result })),
  }
}

/** What is known that a worker on a task may need; without what is found by a search where that is not to be made. */
export const gather = async (call: OperationCall, taskId: string, isSearched: boolean): Promise<Gathered> => {
  const { json } = await getTask(call, taskId)
  const task = JSON.parse(json) as Task
  const ancestors = await visibleTasks(call, named((await ancestorIds(call, task.id)).slice(0, maxAncestors)))
  const [blockers, answers, attempts, found] = await Promise.all([
    visibleTasks(call, named(task.blockedBy.slice(0, maxBlockers))),
    answersTo(call, task.id),
    attemptsAt(call, task),
    isSearched ? searched(call, call.core.search, task, ancestors[0]) : nothingSearched,
  ])
  return {
    task: contextTask(task),
    ancestors: ancestors.map((each) => ({ ...linked(each), description: each.description })),
    blockers: blockers.map(linked),
    answers,
    attempts,
    ...found,
  }
}
