import { setImmediate } from 'node:timers/promises'

/** Long work that pauses now and then, so that its thread may serve others meanwhile. */
export type TimeSliced<T> = Generator<undefined, T, undefined>

const MAX_SLICE_MS = 10

/** How long a thread has worked since it last served others. */
export const createSlice = () => {
  let since = performance.now()
  return {
    isOver: (): boolean => performance.now() - since >= MAX_SLICE_MS,
    async pause(): Promise<void> {
      await setImmediate()
      since = performance.now()
    },
  }
}

export const runToEnd = <T>(work: TimeSliced<T>): T => {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

export const runInSlices = async <T>(work: TimeSliced<T>): Promise<T> => {
  const slice = createSlice()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (slice.isOver()) await slice.pause()
  }
}
