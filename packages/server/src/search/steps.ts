import { setImmediate } from 'node:timers/promises'

/** Long work in short steps, between which a thread may serve others. */
export type Steps<T> = Generator<undefined, T, undefined>

const MAX_STEP_MS = 10

export const atOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export const inTurns = async <T>(steps: Steps<T>): Promise<T> => {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < MAX_STEP_MS) continue
    await setImmediate()
    since = performance.now()
  }
}
