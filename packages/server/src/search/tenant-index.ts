import { createSignatureIndex, type SignatureIndex } from './signature-index.js'
import { decodeSignatures, encodeSignatures, numbersInSnapshot } from './signature-snapshot.js'
import { compactIndex, decodeIndex, encodeIndex } from './snapshot.js'
import type { StoredSnapshot } from './snapshot-store.js'
import type { Steps } from './steps.js'
import { createWordIndex, type WordIndex } from './word-index.js'

/** One tenant's records by their words and their meaning, as they were after its event `sequence`. */
export interface TenantIndex {
  tasks: WordIndex
  knowledge: WordIndex
  taskSignatures: SignatureIndex
  knowledgeSignatures: SignatureIndex
  sequence: number
  /** Of the event `sequence`; null where there was none. Another one there is another log, out of a backup. */
  eventId: string | null
  /** The model of the signatures, and the last change to its vectors that is in them. */
  model: string | undefined
  vectorChange: number
  vectorsSeenAt: number
  /** Since the last snapshot. */
  changes: number
}

export const emptyTenantIndex = (sequence: number, eventId: string | null): TenantIndex => ({
  tasks: createWordIndex(),
  knowledge: createWordIndex(),
  taskSignatures: createSignatureIndex(),
  knowledgeSignatures: createSignatureIndex(),
  sequence,
  eventId,
  model: undefined,
  vectorChange: 0,
  vectorsSeenAt: Number.NEGATIVE_INFINITY,
  changes: 0,
})

const partsOf = (index: TenantIndex) => [index.tasks, index.knowledge, index.taskSignatures, index.knowledgeSignatures]

export const sizeOf = (index: TenantIndex): number => index.tasks.size + index.knowledge.size

export const memoryOf = (index: TenantIndex): number => partsOf(index).reduce((sum, part) => sum + part.memoryBytes, 0)

interface Head {
  eventId: string | null
  model: string | undefined
  vectorChange: number
}

// Each block behind its length.
const join = (blocks: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(
    blocks.flatMap((block) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(block.length)
      return [length, block]
    }),
  )

function* split(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at, true)
    yield bytes.subarray(at + 4, end)
    at = end
  }
}

export function* encodeTenant(index: TenantIndex): Steps<StoredSnapshot> {
  const { sequence, eventId, model, vectorChange } = index
  const head: Head = { eventId, model, vectorChange }
  const taskSignatures = encodeSignatures(index.taskSignatures, index.tasks.documents)
  const knowledgeSignatures = encodeSignatures(index.knowledgeSignatures, index.knowledge.documents)
  const tasks = yield* encodeIndex(index.tasks)
  const knowledge = yield* encodeIndex(index.knowledge)
  const blocks = [Buffer.from(JSON.stringify(head)), tasks, knowledge, taskSignatures, knowledgeSignatures]
  return { sequence, bytes: join(blocks) }
}

/** Undefined where the snapshot is of another version; throws where it is damaged. */
export function* decodeTenant({ bytes, sequence }: StoredSnapshot): Steps<TenantIndex | undefined> {
  const blocks = [...split(bytes)]
  const head = JSON.parse(Buffer.from(blocks[0]!).toString()) as Head
  const tasks = yield* decodeIndex(blocks[1]!)
  const knowledge = yield* decodeIndex(blocks[2]!)
  if (!tasks || !knowledge) return undefined
  return {
    ...emptyTenantIndex(sequence, head.eventId),
    tasks,
    knowledge,
    taskSignatures: decodeSignatures(blocks[3]!),
    knowledgeSignatures: decodeSignatures(blocks[4]!),
    model: head.model,
    vectorChange: head.vectorChange,
  }
}

const COMPACT_LEAST = 1_000

const isWorthCompacting = (index: WordIndex) => index.deadCount > Math.max(COMPACT_LEAST, index.size / 3)

function* compacted(index: WordIndex, signatures: SignatureIndex): Steps<WordIndex> {
  if (!isWorthCompacting(index)) return index
  const compact = yield* compactIndex(index)
  signatures.renumber(numbersInSnapshot(index.documents))
  return compact
}

/** Frees what changed and deleted records left behind, once it is much. */
export function* compactTenant(index: TenantIndex): Steps<void> {
  index.tasks = yield* compacted(index.tasks, index.taskSignatures)
  index.knowledge = yield* compacted(index.knowledge, index.knowledgeSignatures)
}
