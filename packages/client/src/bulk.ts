import { ApiError, RateLimitError } from './errors.js'
import { newIdempotencyKey } from './headers.js'
import { sleep } from './sleep.js'
import type { RunBatchAnswer, RunBatchBody } from './types.gen.js'
import type { Worklore } from './worklore.js'

type Operation = RunBatchBody['operations'][number]
type Result = RunBatchAnswer['data'][number]

/** Writes that belong together: all of them happen, or none. */
export interface BulkUnit {
  operations: Operation[]
  onDone(results: Result[]): void
  /** What to send instead after a refusal; undefined where it is left out. Throws to stop it all. */
  onRefusal(error: ApiError): BulkUnit | undefined
}

export interface BulkOptions {
  /** The id of all requests, by which what they did can be undone together. */
  requestId?: string
  /** Told how many units were sent or left out. */
  onProgress?(count: number): void
  /** Told of each wait for a limit or an overloaded service. */
  onWait?(error: ApiError, waitMs: number): void
}

/** Waits in a row without any progress between them. */
const maxWaits = 30
const maxOperations = 100
/** Below the 2 MiB that a request may have. */
const maxBytes = 1_500_000

const bytesOf = (unit: BulkUnit): number => new TextEncoder().encode(JSON.stringify(unit.operations)).length

/** The first units that fit into one request. */
const fitting = (units: readonly BulkUnit[], most: number): number => {
  let operations = 0
  let bytes = 0
  for (const [at, unit] of units.entries()) {
    operations += unit.operations.length
    bytes += bytesOf(unit)
    if (at > 0 && (operations > most || bytes > maxBytes)) return at
  }
  return units.length
}

/** Which unit an operation of a batch belongs to. */
const unitAt = (units: readonly BulkUnit[], index: number): number => {
  let before = 0
  for (const [at, { operations }] of units.entries()) {
    before += operations.length
    if (index < before) return at
  }
  return units.length - 1
}

/** Whether one record is at fault, and not the key or the request. */
const isOfRecord = ({ status, index }: ApiError, units: number): boolean =>
  [400, 404, 409, 412, 413].includes(status) && (index !== undefined || units === 1)

/** How many operations would be let through now, where a limit refused more. */
const roomOf = (error: RateLimitError): number => Number(error.fields.maxOperations ?? 0)

/** Sends any number of units in batches as large as limits allow, in their order, and waits where they allow none. */
export const sendUnits = async (
  wl: Pick<Worklore, 'request'>,
  units: Iterable<BulkUnit>,
  { requestId, onProgress, onWait }: BulkOptions = {},
): Promise<void> => {
  const source = units[Symbol.iterator]()
  let waiting: BulkUnit[] = []
  let most = maxOperations
  let isDrained = false

  const fill = (): void => {
    while (!isDrained && waiting.length < maxOperations) {
      const { value, done } = source.next()
      if (done) isDrained = true
      else waiting.push(value)
    }
  }

  const send = async (batch: readonly BulkUnit[]): Promise<void> => {
    const operations = batch.flatMap((unit) => unit.operations)
    // A limit that refuses the whole batch may let a part of it through: that is for us to see, not for the client.
    const { data } = await wl.request<RunBatchAnswer>({
      method: 'POST',
      path: '/v1/batch',
      body: { operations },
      requestId,
      idempotencyKey: newIdempotencyKey(),
      maxWaitMs: 2_000,
    })
    let at = 0
    for (const unit of batch) {
      unit.onDone(data.slice(at, at + unit.operations.length))
      at += unit.operations.length
    }
  }

  for (let waits = 0; ; ) {
    fill()
    if (waiting.length === 0) return
    const count = fitting(waiting, most)
    const batch = waiting.slice(0, count)
    try {
      await send(batch)
      waiting = waiting.slice(count)
      onProgress?.(count)
      most = maxOperations
      waits = 0
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error instanceof RateLimitError && roomOf(error) >= batch[0]!.operations.length && roomOf(error) < most) {
        most = roomOf(error)
      } else if (error.retryAfter !== undefined && (error.status === 429 || error.status === 503)) {
        if (++waits > maxWaits) throw error
        const waitMs = error.retryAfter * 1_000
        onWait?.(error, waitMs)
        await sleep(waitMs, undefined)
        most = maxOperations
      } else if (isOfRecord(error, batch.length)) {
        const at = unitAt(batch, error.index ?? 0)
        const instead = batch[at]!.onRefusal(error)
        // What comes before it was accepted: sent on its own, it is not sent again for each refusal after it.
        most = batch.slice(0, at).reduce((count, { operations }) => count + operations.length, 0) || maxOperations
        waiting.splice(at, 1, ...(instead ? [instead] : []))
        if (!instead) onProgress?.(1)
      } else {
        throw error
      }
    }
  }
}
