import { compactIndex, decodeIndex, encodeIndex } from './snapshot.js'
import type { StoredSnapshot } from './snapshot-store.js'
import type { Steps } from './steps.js'
import { createWordIndex, type WordIndex } from './word-index.js'

/** One tenant's records by their words, as they were after its event `sequence`. */
export interface TenantIndex {
  tasks: WordIndex
  knowledge: WordIndex
  sequence: number
  /** Since the last snapshot. */
  changes: number
}

export const emptyTenantIndex = (sequence: number): TenantIndex => ({
  tasks: createWordIndex(),
  knowledge: createWordIndex(),
  sequence,
  changes: 0,
})

export const sizeOf = (index: TenantIndex): number => index.tasks.size + index.knowledge.size

export const memoryOf = (index: TenantIndex): number => index.tasks.memoryBytes + index.knowledge.memoryBytes

export function* encodeTenant(index: TenantIndex): Steps<StoredSnapshot> {
  const { sequence } = index
  const tasks = yield* encodeIndex(index.tasks)
  const knowledge = yield* encodeIndex(index.knowledge)
  const head = Buffer.alloc(4)
  head.writeUInt32LE(tasks.length)
  return { sequence, bytes: Buffer.concat([head, tasks, knowledge]) }
}

/** Undefined where the snapshot is of another version; throws where it is damaged. */
export function* decodeTenant({ bytes, sequence }: StoredSnapshot): Steps<TenantIndex | undefined> {
  const tasksEnd = 4 + Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE(0)
  const tasks = yield* decodeIndex(bytes.subarray(4, tasksEnd))
  const knowledge = yield* decodeIndex(bytes.subarray(tasksEnd))
  return tasks && knowledge && { tasks, knowledge, sequence, changes: 0 }
}

const COMPACT_LEAST = 1_000

const isWorthCompacting = (index: WordIndex) => index.deadCount > Math.max(COMPACT_LEAST, index.size / 3)

/** Frees what changed and deleted records left behind, once it is much. */
export function* compactTenant(index: TenantIndex): Steps<void> {
  if (isWorthCompacting(index.tasks)) index.tasks = yield* compactIndex(index.tasks)
  if (isWorthCompacting(index.knowledge)) index.knowledge = yield* compactIndex(index.knowledge)
}
