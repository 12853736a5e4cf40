/// <reference lib="esnext.disposable" preserve="true" />
import { recordPath } from './address.js'
import { type BatchBuilder, batchOf, createRecorder, runBatch } from './batch.js'
import { claimRequest } from './claim-request.js'
import { ApiError, PreconditionFailedError, type WorkloreError } from './errors.js'
import { newIdempotencyKey } from './headers.js'
import type { PostOptions } from './options.js'
import { isWorthRepeating } from './retry.js'
import { maxTimerMs } from './sleep.js'
import { type Request, sendingBy, type Transport } from './transport.js'
import type { Context, ReleaseClaimBody, RenewClaimBody, RunBatchBody, Task } from './types.gen.js'
import type { WorkView } from './work-view.js'

export interface ClaimOptions {
  /** Called once, when the claim is lost. */
  onLost?: ((error: WorkloreError) => void) | undefined
}

export interface ReleaseOptions extends PostOptions {
  /** Writes that commit together with the release, all or none. Returns the calls, or a list of them. */
  together?: ((batch: BatchBuilder) => unknown) | undefined
}

/** A claim on a task, renewed in the background until it is released or lost. */
export interface HeldClaim extends AsyncDisposable {
  /** The task as of the last response about the claim. */
  readonly task: Task
  readonly token: string
  /** What a worker on the task needs, if `contextTokens` was given; null if it was not, or if computing it failed. */
  readonly context: Context | null
  /** Aborts when the claim is lost, with the error as its reason. Pass it to the code that works on the task. */
  readonly lost: AbortSignal
  /** Returns a view of the service in which every write requires that the claim is held. */
  fenced(): WorkView
  renew(renewal?: RenewClaimBody, options?: PostOptions): Promise<Task>
  /** Ends the claim and sets the task's status; without one the task returns to the queue. */
  release(release?: ReleaseClaimBody, options?: ReleaseOptions): Promise<Task>
  /** Returns the task to the queue, unless the claim has ended. */
  [Symbol.asyncDispose](): Promise<void>
}

const minRenewalMs = 1_000

/** Reports whether a write asks a question about the claimed task, which ends the claim. */
const isRelease = (path: string, question: unknown, asks: string): boolean =>
  path === asks && !(question as { keepClaim?: boolean }).keepClaim

const leaseMsOf = ({ claim }: Task): number => Date.parse(claim!.expiresAt) - Date.parse(claim!.renewedAt)

/** Reports whether repeating the request cannot help: the task is gone, or the key is no longer valid. */
const isFinal = (error: unknown): error is ApiError => error instanceof ApiError && !isWorthRepeating(error, 'POST')

/** Lets the program exit while the timer is pending. Browsers have no `unref`. */
const unref = (timer: unknown): void => (timer as { unref?(): void }).unref?.()

export const createHeldClaim = (
  transport: Transport,
  viewOf: (transport: Transport) => WorkView,
  claimed: Task,
  /** When the claiming request was sent. The lease began no earlier, however late the response arrived. */
  askedAtMs: number,
  { onLost, context = null }: ClaimOptions & { context?: Context | null | undefined },
): HeldClaim => {
  const { token } = claimed.claim!
  const headers = { 'worklore-claim': token }
  const loss = new AbortController()
  // A release that is repeated after a failure takes effect once.
  const releaseKey = newIdempotencyKey()
  let task = claimed
  let isOver = false
  let isReleasing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const isLoss = (error: unknown): error is PreconditionFailedError =>
    error instanceof PreconditionFailedError && error.reason === 'claim_lost' && error.fields.claim === token

  const end = (): void => {
    isOver = true
    clearTimeout(timer)
  }

  /** Marks the claim as lost. Does nothing during a release, whose response decides how the claim ended. */
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
      const renewed = await transport.fetchData<Task>({ ...claimRequest(token, 'renew', renewal), ...options })
      if (!isOver) task = renewed
      renewIn(renewalMs())
      return renewed
    } catch (error) {
      if (isLoss(error)) lose(error)
      throw error
    }
  }

  const renewInBackground = (): void => {
    // An attempt that hangs must not use up the whole lease.
    const timeoutMs = Math.min(transport.timeoutMs, renewalMs())
    renew({}, { timeoutMs }).catch((error) => (isFinal(error) ? lose(error) : renewIn(minRenewalMs)))
  }

  const sendRelease = (body: ReleaseClaimBody, { together, ...options }: ReleaseOptions): Promise<Task> => {
    const request = claimRequest(token, 'release', body)
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

  /** Reports whether a request asks a question under the claim, alone or in a batch, which ends the claim. */
  const endsClaim = ({ method, path, body }: Request): boolean => {
    if (method !== 'POST') return false
    const writes = path === '/v1/batch' ? (body as RunBatchBody).operations : [{ path, body }]
    return writes.some((write) => isRelease(write.path, write.body, recordPath('tasks', claimed.id, 'questions')))
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
