import { AppError, invalid } from '../../base/errors.js'
import type { SkippedLink } from '../../changelog/versions/schema.js'
import type { Call } from '../../operations/call.js'
import { type KnowledgeMeta, maxSuperseded } from './fields.js'
import { movedTo } from './moves/moved.js'
import * as store from './store.js'
import { parseMeta } from './stored-meta.js'
import { changeItem } from './write.js'

/**
 * An item names those that it replaces; each of them names it in return while it holds: it is neither deleted nor
 * retracted. Both are of one place.
 */

/** A chain of items that replace each other is no longer than this. */
const maxChain = 1_000

const isLinked = ({ retraction }: Pick<KnowledgeMeta, 'retraction'>): boolean => retraction === null

const itemsOf = (call: Call, projectId: store.ProjectScope, keys: readonly string[]) =>
  store.findItems(call.db, call.actor.tenantId, projectId, keys)

const setSuccessor = async (call: Call, item: store.StoredItem, supersededBy: string | null): Promise<void> => {
  await changeItem(call, item, { fields: { supersededBy } })
}

/** The items that supersede one, directly or through others, the nearest first. */
const successorsOf = async (call: Call, projectId: store.ProjectScope, key: string): Promise<string[]> =>
  store.findSuccessors(call.db, call.actor.tenantId, projectId, key, maxChain)

const cycleOf = (key: string, old: string): AppError => {
  const other = `"${old}", which supersedes it. Remove that link first`
  return new AppError('cycle', `"${key}" cannot supersede ${old === key ? 'itself' : other}.`)
}

/** Refuses keys that an item cannot replace. `key` need not have an item yet. */
export const checkSuperseded = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
  keys: readonly string[],
): Promise<void> => {
  if (keys.length === 0) return
  const found = new Map((await itemsOf(call, projectId, keys)).map((item) => [item.key, item]))
  const successors = await successorsOf(call, projectId, key)
  if (successors.length >= maxChain) {
    throw new AppError('limit', `A chain has at most ${maxChain} items. Delete old ones first.`)
  }
  for (const [at, old] of keys.entries()) {
    if (old === key || successors.includes(old)) throw cycleOf(key, old)
    const item = found.get(old)
    if (!item) {
      throw invalid({ path: `supersedes.${at}`, message: `names no item of the same place: "${old}"` })
    }
    const { supersededBy } = parseMeta(item.meta)
    if (supersededBy !== null && supersededBy !== key) {
      throw new AppError(
        'superseded',
        `"${old}" is already superseded by "${supersededBy}". Supersede that one instead.`,
        { existing: supersededBy },
      )
    }
  }
}

/** Makes the items that one no longer replaces what they were, and links those that it replaces from now on. */
export const relink = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
  before: Pick<KnowledgeMeta, 'supersedes' | 'retraction'> | null,
  after: Pick<KnowledgeMeta, 'supersedes' | 'retraction'> | null,
): Promise<void> => {
  const replacedBefore = before && isLinked(before) ? before.supersedes : []
  const replaced = after && isLinked(after) ? after.supersedes : []
  const freed = replacedBefore.filter((old) => !replaced.includes(old))
  const added = replaced.filter((old) => !replacedBefore.includes(old))
  for (const item of await itemsOf(call, projectId, freed)) {
    if (parseMeta(item.meta).supersededBy === key) await setSuccessor(call, item, null)
  }
  for (const item of await itemsOf(call, projectId, added)) await setSuccessor(call, item, key)
}

/**
 * Of the keys that an item is to replace again, those that are there, not replaced by another and no cycle. The others
 * are added to `skipped`. One that is retracted only names them.
 */
export const stillReplaceable = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
  keys: readonly string[],
  skipped: SkippedLink[] = [],
  retraction: KnowledgeMeta['retraction'] = null,
): Promise<string[]> => {
  if (keys.length === 0) return []
  const successors = await successorsOf(call, projectId, key)
  const items = new Map((await itemsOf(call, projectId, keys)).map((item) => [item.key, parseMeta(item.meta)]))
  const obstacleOf = (old: string): SkippedLink['reason'] | undefined => {
    const item = items.get(old)
    if (!item) return 'not found'
    if (!isLinked({ retraction })) return undefined
    if (old === key || successors.includes(old)) return 'cycle'
    return [null, key].includes(item.supersededBy) ? undefined : 'in use'
  }
  return keys.filter((old) => {
    const reason = obstacleOf(old)
    if (reason !== undefined) skipped.push({ knowledge: key, field: 'supersedes', value: old, reason })
    return reason === undefined
  })
}

/** Makes one item replace another or no longer replace it. */
const setSuperseding = async (
  call: Call,
  projectId: store.ProjectScope,
  successor: string,
  key: string,
  isSuperseding: boolean,
): Promise<void> => {
  const [item] = await itemsOf(call, projectId, [successor])
  if (!item) return
  const before = parseMeta(item.meta)
  const others = before.supersedes.filter((old) => old !== key)
  const supersedes = isSuperseding ? [...others, key] : others
  await changeItem(call, item, { fields: { supersedes } })
  await relink(call, projectId, successor, before, { ...before, supersedes })
}

/** Unlinks an item that is deleted or moved to another place from the items that stay. */
export const unlinkLeaving = async (
  call: Call,
  { project_id, key, meta }: Pick<store.StoredItem, 'project_id' | 'key' | 'meta'>,
  isStaying: (key: string) => boolean = () => true,
): Promise<void> => {
  const { supersedes, supersededBy, retraction } = parseMeta(meta)
  await relink(call, project_id, key, { supersedes: supersedes.filter(isStaying), retraction }, null)
  if (supersededBy === null || !isStaying(supersededBy)) return
  const [successor] = await itemsOf(call, project_id, [supersededBy])
  if (!successor) return
  const others = parseMeta(successor.meta).supersedes.filter((old) => old !== key)
  await changeItem(call, successor, { fields: { supersedes: others } })
}

/** Returns the current key of the item that had a key at a time, if the item is still in the same place. */
export const keyNowOf = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
  atMs: number,
): Promise<string | undefined> => {
  const isSame = async (candidate: string): Promise<boolean> => {
    const [item] = await itemsOf(call, projectId, [candidate])
    return item !== undefined && Date.parse(parseMeta(item.meta).createdAt) <= atMs
  }
  if (await isSame(key)) return key
  const moved = await movedTo(call, key, projectId, () => true)
  return moved?.projectId === projectId && (await isSame(moved.key)) ? moved.key : undefined
}

/**
 * The item that may name another one again as replaced, whether or not it holds now. `keyNow` is where the one is that had
 * the key `successor`, which is added to `skipped` if it may not.
 */
const formerSuccessor = async (
  call: Call,
  projectId: store.ProjectScope,
  key: string,
  successor: string,
  keyNow: string | undefined,
  skipped: SkippedLink[],
): Promise<KnowledgeMeta | undefined> => {
  const skip = (reason: SkippedLink['reason']): undefined =>
    void skipped.push({ knowledge: successor, field: 'supersedes', value: key, reason })
  const [item] = keyNow === undefined ? [] : await itemsOf(call, projectId, [keyNow])
  if (!item) return skip('not found')
  const meta = parseMeta(item.meta)
  if (meta.supersedes.length >= maxSuperseded) return skip('too many')
  return (await successorsOf(call, projectId, meta.key)).includes(key) ? skip('cycle') : meta
}

/** The links that an item has again when it comes back. */
interface RestoredLinks extends Pick<KnowledgeMeta, 'supersedes' | 'supersededBy'> {
  /** What names it, also where that does not hold now. */
  namedBy: string | null
  skipped: SkippedLink[]
}

/**
 * The links of an item that comes back, from those that it had, also where the others were renamed meanwhile. Call
 * `linkRestored` once it is there. `skipped` lists those that it cannot have again.
 */
export const restoredLinks = async (
  call: Call,
  projectId: store.ProjectScope,
  { key, supersedes, supersededBy, updatedAt }: KnowledgeMeta,
): Promise<RestoredLinks> => {
  const atMs = Date.parse(updatedAt)
  const skipped: SkippedLink[] = []
  const keysNow: string[] = []
  for (const old of supersedes) {
    const now = await keyNowOf(call, projectId, old, atMs)
    if (now === undefined) skipped.push({ knowledge: key, field: 'supersedes', value: old, reason: 'not found' })
    else keysNow.push(now)
  }
  const successorOf = async (named: string) =>
    formerSuccessor(call, projectId, key, named, await keyNowOf(call, projectId, named, atMs), skipped)
  const successor = supersededBy === null ? undefined : await successorOf(supersededBy)
  return {
    supersedes: await stillReplaceable(call, projectId, key, [...new Set(keysNow)], skipped),
    supersededBy: successor && isLinked(successor) ? successor.key : null,
    namedBy: successor?.key ?? null,
    skipped,
  }
}

export const linkRestored = async (
  call: Call,
  projectId: store.ProjectScope,
  meta: Pick<KnowledgeMeta, 'key' | 'supersedes' | 'retraction'>,
  namedBy: string | null,
): Promise<void> => {
  await relink(call, projectId, meta.key, null, meta)
  if (namedBy !== null) await setSuperseding(call, projectId, namedBy, meta.key, true)
}

/** Makes an item superseded by what superseded it once, or by nothing. */
export const revertSuccessor = async (
  call: Call,
  { project_id, key, meta }: store.StoredItem,
  wanted: string | null,
  skipped: SkippedLink[],
): Promise<void> => {
  const { supersededBy } = parseMeta(meta)
  if (supersededBy === wanted) return
  if (supersededBy !== null) await setSuperseding(call, project_id, supersededBy, key, false)
  const successor = wanted !== null && (await formerSuccessor(call, project_id, key, wanted, wanted, skipped))
  if (successor) await setSuperseding(call, project_id, successor.key, key, true)
}
