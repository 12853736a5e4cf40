import { type Awaitable, andThen, forEachInTurn } from '../../../base/awaitable.js'
import { parseMoment } from '../../../base/dates.js'
import { type ErrorDetail, invalid } from '../../../base/errors.js'
import type { ProjectSet } from '../../../base/project-set.js'
import { holdsScope, writableProjects } from '../../../operations/actor.js'
import type { Call } from '../../../operations/call.js'
import { projectIdNamed, unknownProjectDetail } from '../../../tenancy/projects/service.js'
import { isCategory } from '../../../tenancy/projects/statuses.js'
import { isHuman } from '../../../tenancy/users/service.js'
import { markProjectsOf } from '../../fields/stale-marks.js'
import { workerOf } from '../checks/rules.js'
import type { checkFilters } from '../checks/schema.js'
import { priorities } from '../fields.js'
import { areResourcesReserved } from '../resources/store.js'
import { maxFilterValues, type TaskFilterInput } from '../schema.js'
import { statusFilterOf, statusFilterProblems } from '../statuses/filter.js'

/** The filters of a list or a search, checked and resolved. A list of values means any of them. */
export interface TaskFilters {
  ids?: readonly string[]
  projectIds: ProjectSet
  /** Categories. */
  statuses?: readonly string[]
  /** Any of these categories or statuses of projects, all of which have one of `statuses` as their category. */
  statusNames?: readonly string[]
  /** Users' ids, and `none` for tasks of no one. */
  assigneeIds?: readonly string[]
  priorities?: readonly number[]
  labels?: readonly string[]
  dueBeforeMs?: number
  dueAfterMs?: number
  updatedAfterMs?: number
  /** Whether the actor could be handed the task. */
  isReady?: boolean
  isClaimed?: boolean
  claimedBy?: string
  createdBy?: string
  isExhausted?: boolean
  checks?: (typeof checkFilters)[number]
  /** Who is to decide an open check of a task that is in review; null is nobody. */
  verifier?: Verifier | null
  /** Whether the task has a staleness mark about an item of `markProjects`. */
  isStale?: boolean
  /** The projects whose items the caller sees in staleness marks; given with `isStale`. */
  markProjects?: ProjectSet
  /** What waits for this task. */
  blockedBy?: string
  /** What this task waits for. */
  blocks?: string
  /** Null for tasks without a parent. */
  parentId?: string | null
  externalId?: string
  /** For whom and when it is to be told what is ready or claimed. */
  asked?: Asked
}

/** Who asks what is ready or claimed, and when. */
export interface Asked {
  tenantId: string
  userId: string | null
  atMs: number
  /** Whether anything is reserved, for which ready tasks would wait. */
  areResourcesReserved?: boolean
}

/** What tells which checks an actor may decide. */
interface Verifier {
  keyId: string
  userId: string | null
  isHuman: boolean
}

/** In one order, so that a cursor serves whoever names the same values in another. */
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)].sort()

/** Viewers of a project are handed no task of it and decide no check there. */
const resolveProjects = (call: Call, { projectId: refs, canVerify, ready }: TaskFilterInput): Awaitable<ProjectSet> => {
  const { actor } = call
  const named = refs && forEachInTurn(distinct(refs), (ref) => projectIdNamed(call, ref))
  return andThen<ProjectSet, ProjectSet>(named ?? actor.projectIds, (projectIds) =>
    canVerify || ready ? writableProjects({ ...actor, projectIds }) : projectIds,
  )
}

const resolveStatuses = (
  call: Call,
  names: readonly string[] | undefined,
): Awaitable<Pick<TaskFilters, 'statuses' | 'statusNames'>> => (names === undefined ? {} : statusFilterOf(call, names))
/** No user has this id. */
const nobody = '-'

/** The filters of an input, and what is wrong with their values. */
const readFilters = ({ actor }: Call, input: TaskFilterInput): [filters: TaskFilters, problems: ErrorDetail[]] => {
  const problems: ErrorDetail[] = []
  const filters: TaskFilters = { projectIds: null }
  const momentOf = (path: 'dueBefore' | 'dueAfter' | 'updatedAfter'): number => {
    const moment = parseMoment(input[path]!)
    if (!moment) problems.push({ path, message: 'must be a valid date (2026-01-31), or a timestamp with a time zone' })
    return moment?.ms ?? 0
  }
  if (input.priority) filters.priorities = distinct(input.priority.map((name) => priorities.indexOf(name)))
  if (input.id) filters.ids = distinct(input.id)
  if (input.assignee) {
    filters.assigneeIds = distinct(input.assignee.map((id) => (id === 'me' ? (actor.userId ?? nobody) : id)))
  }
  if (input.label) filters.labels = distinct(input.label)
  if (input.dueBefore !== undefined) filters.dueBeforeMs = momentOf('dueBefore')
  if (input.dueAfter !== undefined) filters.dueAfterMs = momentOf('dueAfter')
  if (input.updatedAfter !== undefined) filters.updatedAfterMs = momentOf('updatedAfter')
  return [filters, problems]
}

const projectProblems = async (call: Call, refs: readonly string[] = []): Promise<ErrorDetail[]> => {
  const found: ErrorDetail[] = []
  for (const ref of distinct(refs).slice(0, maxFilterValues)) {
    const problem = await unknownProjectDetail(call, ref, 'projectId')
    if (problem) found.push(problem)
  }
  return found
}

/** What is wrong with the projects and statuses that an input names. */
const referenceProblems = async (call: Call, { projectId, status }: TaskFilterInput): Promise<ErrorDetail[]> => [
  ...(await projectProblems(call, projectId)),
  ...(await statusFilterProblems(call, status)),
]

/** Whether the tasks that an input selects change with time or with the rights of the caller, without a commit. */
const changesWithoutCommit: Readonly<Record<keyof TaskFilterInput, boolean>> = {
  id: false,
  projectId: false,
  status: false,
  assignee: false,
  priority: false,
  label: false,
  dueBefore: false,
  dueAfter: false,
  updatedAfter: false,
  ready: true,
  claimed: true,
  claimedBy: true,
  createdBy: false,
  exhausted: false,
  checks: false,
  canVerify: true,
  stale: false,
  blockedBy: false,
  blocks: false,
  parentId: false,
  externalId: false,
}

/** Whether the tasks that a filter selects change only with commits of their tenant. */
export const isTimeIndependent = (input: TaskFilterInput): boolean =>
  (Object.keys(changesWithoutCommit) as (keyof TaskFilterInput)[]).every(
    (name) => input[name] === undefined || !changesWithoutCommit[name],
  )

/** Filters by claims and links, which need the caller's key and the time. */
const workFilters = ({ actor, clock }: Call, input: TaskFilterInput): Partial<TaskFilters> => {
  const { ready, claimed, claimedBy, createdBy, exhausted, checks, stale, blockedBy, blocks, parentId, externalId } =
    input
  const isAsked = ready !== undefined || claimed !== undefined || claimedBy !== undefined
  return {
    ...(ready !== undefined && { isReady: ready }),
    ...(claimed !== undefined && { isClaimed: claimed }),
    ...(claimedBy !== undefined && { claimedBy: claimedBy === 'me' ? actor.keyId : claimedBy }),
    ...(createdBy !== undefined && { createdBy: createdBy === 'me' ? actor.keyId : createdBy }),
    ...(exhausted !== undefined && { isExhausted: exhausted }),
    ...(checks !== undefined && { checks }),
    ...(stale !== undefined && { isStale: stale, markProjects: markProjectsOf(actor) }),
    ...(blockedBy !== undefined && { blockedBy }),
    ...(blocks !== undefined && { blocks }),
    ...(parentId !== undefined && { parentId: parentId === 'none' ? null : parentId }),
    ...(externalId !== undefined && { externalId }),
    ...(isAsked && { asked: { tenantId: actor.tenantId, userId: actor.userId, atMs: clock() } }),
  }
}

const verifierOf = async (call: Call): Promise<Verifier | null> =>
  holdsScope(call.actor, 'tasks:write') ? { ...workerOf(call.actor), isHuman: await isHuman(call) } : null

const withReservations = ({ db, actor }: Call, { asked, ...filters }: TaskFilters): Awaitable<TaskFilters> =>
  andThen(areResourcesReserved(db, actor.tenantId), (areResourcesReserved) => ({
    ...filters,
    asked: { ...asked!, areResourcesReserved },
  }))

export const resolveFilters = (call: Call, input: TaskFilterInput): Awaitable<TaskFilters> => {
  const [filters, problems] = readFilters(call, input)
  if (problems.length === 0 && input.status?.every(isCategory) !== false) return resolve(call, input, filters)
  return referenceProblems(call, input).then((more) => {
    if (problems.length + more.length > 0) throw invalid(...problems, ...more)
    return resolve(call, input, filters)
  })
}

const resolve = (call: Call, input: TaskFilterInput, filters: TaskFilters): Awaitable<TaskFilters> =>
  andThen(resolveProjects(call, input), (projectIds) =>
    andThen(resolveStatuses(call, input.status), (statuses) => {
      const resolved: TaskFilters = { ...filters, ...statuses, ...workFilters(call, input), projectIds }
      const known = input.ready === undefined ? resolved : withReservations(call, resolved)
      if (!input.canVerify) return known
      return andThen(known, async (filters) => ({ ...filters, verifier: await verifierOf(call) }))
    }),
  )
