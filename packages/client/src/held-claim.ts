/// <reference lib="esnext.disposable" preserve="true" />
import { recordPath } from './address.js'
import { type BatchBuilder, createRecorder, runBatch } from './batch.js'
import { ApiError, PreconditionFailedError, type WorkloreError } from './errors.js'
import { newIdempotencyKey } from './headers.js'
import type { PostOptions } from './options.js'
import { isWorthRepeating } from './retry.js'
import { maxTimerMs } from './sleep.js'
import { type Request, sendingBy, type Transport } from './transport.js'
import type { Context, ReleaseClaimBody, RenewClaimBody, RunBatchBody, Task } from './types.gen.js'
import { batchOf, type WorkView } from './work-view.js'

export interface ClaimOptions {
  /** Told once, when the claim turns out to be lost. */
  onLost?: ((error: WorkloreError) => void) | undefined
}

export interface ReleaseOptions extends PostOptions {
  /** Writes that happen together with the release, all of it or nothing. Return the calls, or a list of them. */
  together?: ((batch: BatchBuilder) => unknown) | undefined
}

/** A claim on a task. It is renewed in the background until it is released or lost. */
export interface HeldClaim extends AsyncDisposable {
  /** The task as the last answer about the claim told it. */
  readonly task: Task
  readonly token: string
  /** With `contextTokens`: what a worker on the task needs. Null where it was not asked for, or failed. */
  readonly context: Context | null
  /** Aborts when the claim is lost, with the error that told it: pass it on to whatever works on the task. */
  readonly lost: AbortSignal
  /** The same service, where every write happens only while the claim is held. */
  fenced(): WorkView
  renew(renewal?: RenewClaimBody, options?: PostOptions): Promise<Task>
  /** Ends the claim and says what became of the task: without a status it is handed back. */
  release(release?: ReleaseClaimBody, options?: ReleaseOptions): Promise<Task>
  /** Hands the task back, unless the claim is over. */
  [Symbol.asyncDispose](): Promise<void>
}

const minRenewalMs = 1_000

/** Whether a write asks about the task of a claim, which ends the claim. */
const isRelease = (path: string, question: unknown, asks: string): boolean =>
  path === asks && !(question as { keepClaim?: boolean }).keepClaim

const leaseMsOf = ({ claim }: Task): number => Date.parse(claim!.expiresAt) - Date.parse(claim!.renewedAt)

/** The answer stays: the task is gone, or the key is no longer good. */
const isFinal = (error: unknown): error is ApiError => error instanceof ApiError && !isWorthRepeating(error, 'POST')

/** Lets timers not keep a program alive; browsers have no such thing. */
const unref = (timer: unknown): void => (timer as { unref?(): void }).unref?.()

export const createHeldClaim = (
  transport: Transport,
  viewOf: (transport: Transport) => WorkView,
  claimed: Task,
  /** When the call was made that claimed it: its answer may have been long on the way. */
  askedAtMs: number,
  { onLost, context = null }: ClaimOptions & { context?: Context | null | undefined },
): HeldClaim => {
  const { token } = claimed.claim!
  const headers = { 'worklore-claim': token }
  const loss = new AbortController()
  // Handed in again after a failure, the work is still handed in once.
  const releaseKey = newIdempotencyKey()
  let task = claimed
  let isOver = false
  let isReleasing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const isLoss = (error: unknown): error is PreconditionFailedError =>
    error instanceof PreconditionFailedError && error.reason === 'claim_lost' && error.fields.claim === token

  const pathOf = (action: string): string => recordPath('tasks', claimed.id, action)

  const end = (): void => {
    isOver = true
    clearTimeout(timer)
  }

  /** While it is being released, only the release knows what became of it. */
  const lose = (error: WorkloreError): void => {
    if (isOver || isReleasing) return
    end()
    loss.abort(error)
    onLost?.(error)
  }

  const renewIn = (ms: number): void => {
    clearTimeout(timer)
    if (isOver || isReleasing) return
    timer = setTimeout(renewInBackground, Math.min(Math.max(ms, 0), maxTimerMs))
    unref(timer)
  }

  const renewalMs = (): number => Math.max(leaseMsOf(task) / 3, minRenewalMs)

  const renew = async (renewal: RenewClaimBody = {}, options: PostOptions = {}): Promise<Task> => {
    try {
      const renewed = await transport.fetchData<Task>({
        method: 'POST',
        path: pathOf('renew'),
        body: renewal,
        headers,
        ...options,
      })
      if (!isOver) task = renewed
      renewIn(renewalMs())
      return renewed
    } catch (error) {
      if (isLoss(error)) lose(error)
      throw error
    }
  }

  const renewInBackground = (): void => {
    // An attempt that hangs must not take the whole lease.
    const timeoutMs = Math.min(transport.timeoutMs, renewalMs())
    renew({}, { timeoutMs }).catch((error) => (isFinal(error) ? lose(error) : renewIn(minRenewalMs)))
  }

  const sendRelease = (body: ReleaseClaimBody, { together, ...options }: ReleaseOptions): Promise<Task> => {
    const request = { method: 'POST', path: pathOf('release'), body, headers } as const
    const post = { idempotencyKey: releaseKey, ...options }
    if (!together) return transport.fetchData<Task>({ ...request, ...post })
    const recorder = createRecorder(transport)
    const build = () => {
      const others = [together(batchOf(recorder, viewOf))].flat()
      return [recorder.transport().fetchData<Task>(request), ...others] as const
    }
    return runBatch(recorder, build, post).then(([released]) => released)
  }

  const release = async (body: ReleaseClaimBody = {}, options: ReleaseOptions = {}): Promise<Task> => {
    clearTimeout(timer)
    isReleasing = true
    try {
      task = await sendRelease(body, options)
      end()
      return task
    } catch (error) {
      isReleasing = false
      if (isLoss(error)) lose(error)
      else renewIn(0)
      throw error
    }
  }

  /** A question that is asked under the claim, by itself or in a batch, ends it. */
  const endsClaim = ({ method, path, body }: Request): boolean => {
    if (method !== 'POST') return false
    const writes = path === '/v1/batch' ? (body as RunBatchBody).operations : [{ path, body }]
    return writes.some((write) => isRelease(write.path, write.body, pathOf('questions')))
  }

  const sendFenced = async <T>(request: Request): Promise<T> => {
    try {
      const answer = await transport.send<T>({ ...request, headers: { ...headers, ...request.headers } })
      if (endsClaim(request)) end()
      return answer
    } catch (error) {
      if (isLoss(error)) lose(error)
      throw error
    }
  }

  renewIn(renewalMs() - (Date.now() - askedAtMs))

  return {
    get task() {
      return task
    },
    token,
    context,
    lost: loss.signal,
    fenced: () => viewOf(sendingBy(transport, sendFenced)),
    renew,
    release,
    [Symbol.asyncDispose]: async () => {
      if (isOver) return
      await release().catch((error) => {
        if (!isLoss(error)) throw error
      })
    },
  }
}
