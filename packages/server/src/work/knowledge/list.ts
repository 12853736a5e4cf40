import { invalid } from '../../base/errors.js'
import { decodeCursor, encodeCursor, listFingerprint, type Page, pageOf } from '../../base/paging.js'
import { isListed, type ProjectSet, withTenantWide } from '../../base/project-set.js'
import type { Call } from '../../operations/call.js'
import type { OperationCall } from '../../operations/operation.js'
import { projectNamed } from '../../tenancy/projects/service.js'
import { markProjectsOf, withVisibleMarks } from '../fields/stale-marks.js'
import { endOfPrefix } from './key.js'
import * as store from './list-store.js'
import type { KnowledgeList } from './schema.js'

/** The places a list covers. */
const placesOf = async (call: Call, { projectId, scope = 'all' }: KnowledgeList): Promise<ProjectSet> => {
  if (projectId !== undefined) return [(await projectNamed(call, projectId)).id]
  if (scope === 'tenant') return ['']
  const { projectIds } = call.actor
  return scope === 'project' ? projectIds : withTenantWide(projectIds)
}

/** The content of an item can be a megabyte, so a page also ends before it exceeds this length. */
const maxPageLength = 8_388_608
/** Maximum total length of the items that one statement reads, so that it takes less than a slice of the scheduler. */
const maxStepLength = 1_048_576

/** Divides items into steps that are read one after the other. A step has at least one item. */
const stepsOf = (lengths: readonly store.ItemLength[]): store.ItemLength[][] => {
  const steps: store.ItemLength[][] = []
  let stepLength = Number.POSITIVE_INFINITY
  for (const item of lengths) {
    if (stepLength + item.length > maxStepLength) {
      steps.push([])
      stepLength = 0
    }
    steps.at(-1)!.push(item)
    stepLength += item.length
  }
  return steps
}

/** Returns how many items fit on a page, starting with the first. A page has at least one. */
const countOnPage = (lengths: readonly store.ItemLength[]): number => {
  let pageLength = 0
  const count = lengths.findIndex(({ length }) => {
    pageLength += length
    return pageLength > maxPageLength
  })
  return count === -1 ? lengths.length : Math.max(1, count)
}

const readInSteps = async (
  call: Call,
  range: store.ItemRange,
  lengths: readonly store.ItemLength[],
): Promise<string[]> => {
  const items: string[] = []
  let { after } = range
  for (const step of stepsOf(lengths)) {
    const upTo = step.at(-1)!.place
    const read = await store.listItems(call.db, call.actor.tenantId, { ...range, after, upTo }, call.clock())
    for (const item of read) items.push(withVisibleMarks(call.actor, item))
    after = upTo
  }
  return items
}

interface ListedItems {
  readonly range: store.ItemRange
  readonly fingerprint: number
}

const listedBy = async (call: Call, query: KnowledgeList): Promise<ListedItems> => {
  if (query.projectId !== undefined && query.scope !== undefined) {
    throw invalid({ path: 'scope', message: 'cannot be combined with projectId' })
  }
  const { prefix = '', scope = 'all', tag, trust, state, stale } = query
  const projectIds = await placesOf(call, query)
  const range: store.ItemRange = {
    projectIds,
    isProjectsOnly: !isListed(projectIds) && scope === 'project',
    fromKey: prefix,
    endKey: endOfPrefix(prefix),
    after: undefined,
    tag,
    trust,
    state,
    isStale: stale,
    markProjects: markProjectsOf(call.actor),
  }
  const filters = [projectIds, scope, prefix, tag, trust, state, stale]
  return { range, fingerprint: listFingerprint([call.actor.tenantId, 'knowledge', ...filters]) }
}

type ListCall = Call & Pick<OperationCall, 'reserveResponse'>

interface ItemPage extends Page<string> {
  /** When the next item of the tenant expires; undefined where none will. */
  nextEnd: number | undefined
}

/** Returns the items as JSON, one text each, ordered by key. */
export const listItems = async (call: ListCall, query: KnowledgeList): Promise<ItemPage> => {
  const { limit = 100, cursor } = query
  const { range, fingerprint } = await listedBy(call, query)
  const after = cursor === undefined ? undefined : decodeCursor<[string, string]>(cursor, fingerprint, ['text', 'text'])
  const wanted = { ...range, after, isContentWanted: query.fields !== 'key' }
  const { tenantId } = call.actor
  const [lengths, nextEnd] = await Promise.all([
    store.listLengths(call.db, tenantId, wanted, limit + 1, call.clock()),
    store.nextEnd(call.db, tenantId, call.clock()),
  ])
  const page = pageOf(lengths, Math.min(limit, countOnPage(lengths)), ({ place }) => encodeCursor(fingerprint, place))
  const bytes = page.items.reduce((sum, { length }) => sum + length, 0)
  if (bytes > maxStepLength) await call.reserveResponse?.(bytes)
  return { ...page, items: await readInSteps(call, wanted, page.items), nextEnd }
}

/** As many as are counted. */
const maxTotal = 1_000

/** How many items the list has, whatever the page. */
export const countItems = async (
  call: Call,
  query: Pick<KnowledgeList, 'prefix' | 'projectId'>,
): Promise<{ total: number; totalIsCapped?: true }> => {
  const { range } = await listedBy(call, query)
  const count = await store.countItems(call.db, call.actor.tenantId, range, maxTotal + 1, call.clock())
  return count > maxTotal ? { total: maxTotal, totalIsCapped: true } : { total: count }
}
