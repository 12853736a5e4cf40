import type { SearchEngine } from 'worklore-search'
import { isoTime } from '../../base/clock.js'
import { AppError } from '../../base/errors.js'
import { type ClaimChange, claimChangesOf } from '../../changelog/versions/find.js'
import { type ActorRef, holdsScope } from '../../operations/actor.js'
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
export interface Gathered extends Pick<Context, 'task' | PartName | 'searched'> {
  /** The id of the item of each entry of `knowledge`. */
  itemIds: readonly string[]
}

const maxAncestors = 10
const maxBlockers = 50
const maxAnswers = 100
const maxClaimChanges = 400
const maxComments = 200
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

interface Attempt {
  by: ActorRef
  claimedAtMs: number
  ended: Context['attempts'][number]['ended']
  endedAtMs: number
}

const endOf = { 'task.claimed': 'replaced', 'task.released': 'released', 'task.claim_expired': 'expired' } as const

/** The claims of a task that are over, the oldest first. One that a change of the status ended has no end of its own. */
const pastClaims = (changes: readonly ClaimChange[], { claim, updatedAt }: Task): Attempt[] => {
  const attempts: Attempt[] = []
  let open: ClaimChange | undefined
  for (const change of changes) {
    if (open) {
      attempts.push({ by: open.by, claimedAtMs: open.atMs, ended: endOf[change.type], endedAtMs: change.atMs })
    }
    open = change.type === 'task.claimed' ? change : undefined
  }
  if (open && claim === null) {
    attempts.push({ by: open.by, claimedAtMs: open.atMs, ended: 'released', endedAtMs: Date.parse(updatedAt) })
  }
  return attempts
}

/** Earlier claims, the newest first, each with what its holder said last before the next one. */
const attemptsAt = async (call: Call, task: Task): Promise<Context['attempts']> => {
  const attempts = pastClaims(await claimChangesOf(call, task.id, maxClaimChanges), task)
  if (attempts.length === 0) return []
  const comments = await newestComments(call, task.id, maxComments)
  return attempts
    .map(({ by, claimedAtMs, ended, endedAtMs }, at) => {
      const untilMs = attempts[at + 1]?.claimedAtMs ?? Number.POSITIVE_INFINITY
      const last = comments.find(({ createdBy, createdAt }) => {
        const saidAtMs = Date.parse(createdAt)
        return createdBy.keyId === by.keyId && saidAtMs >= claimedAtMs && saidAtMs <= untilMs
      })
      return { by: by.keyName, ended, at: isoTime(endedAtMs), comment: last?.body ?? null }
    })
    .reverse()
}

/** What a task says, as it is searched for. */
const queryOf = ({ title, description, labels }: Task, parent: Task | undefined): string =>
  [title, labels.join(' '), parent?.title ?? '', description].filter(Boolean).join('\n').slice(0, maxQueryLength)

/** Of items that are about as relevant, those that were verified come first. */
const trustFactor = { verified: 1.15, unreviewed: 1, disputed: 0.5 } as const

/** A passage without its own heading, which is told apart from it. */
const bodyOf = ({ text, heading }: { text: string; heading: string | null }): string =>
  (heading === null ? '' : text.replace(/^#{1,6}[^\n]*/, '').trim()) || text.trim()

/** Returns the best passage of each item, then the other passages. */
const passagesOf = (hits: readonly KnowledgeHit[]): Pick<Gathered, 'knowledge' | 'itemIds'> => {
  const worth = ({ score, trust }: KnowledgeHit) => score * trustFactor[trust]
  const sorted = hits.toSorted((a, b) => worth(b) - worth(a))
  const ranked = sorted.filter((hit) => worth(hit) >= minShareOfBest * worth(sorted[0]!))
  const found = Array.from({ length: passagesPerItem }, (_, place) =>
    ranked.flatMap(({ id, key, projectId, version, title, trust, passages = [] }) => {
      const passage = passages[place]
      if (!passage) return []
      const { heading, start } = passage
      return [{ id, shown: { key, projectId, version, title, trust, heading, start, passage: bodyOf(passage) } }]
    }),
  ).flat()
  return { knowledge: found.map(({ shown }) => shown), itemIds: found.map(({ id }) => id) }
}

type Searched = Pick<Gathered, 'knowledge' | 'itemIds' | 'neighbours' | 'similarDone'>
const nothingSearched = { knowledge: [], itemIds: [], neighbours: [], similarDone: [], searched: false as const }

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
    ...passagesOf(hits),
    neighbours: tasks
      .filter((other) => isHeld(other, nowMs))
      .slice(0, maxNeighbours)
      .map(({ id, title, claim }) => ({ id, title, by: claim!.keyName, worker: claim!.worker })),
    similarDone: tasks
      .filter(({ statusCategory }) => statusCategory === 'done')
      .slice(0, maxDone)
      .map(({ id, title, result }) => ({ id, title, result })),
  }
}

/** A context without what is searched for is better than none. */
const unavailable = (error: unknown): typeof nothingSearched => {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return nothingSearched
  throw error
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
    isSearched ? searched(call, call.core.search, task, ancestors[0]).catch(unavailable) : nothingSearched,
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
