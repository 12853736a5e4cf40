import { setImmediate } from 'node:timers/promises'

/** Long work that pauses now and then, so that its thread may serve others meanwhile. */
export type TimeSliced<T> = Generator<undefined, T, undefined>

const MAX_SLICE_MS = 10

export const runToEnd = <T>(work: TimeSliced<T>): T => {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

export const runInSlices = async <T>(work: TimeSliced<T>): Promise<T> => {
  let since = performance.now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() - since < MAX_SLICE_MS) continue
    await setImmediate()
    since = performance.now()
  }
}
