export interface Throttle {
  /** Runs the work after `waitMs`. Calls until then have no further effect. */
  ask(waitMs?: number): void
  /** Time since the work began last. */
  ageMs(): number
  /** Forgets what was asked. */
  end(): void
}

/** Runs work once for many calls: a while after the first of them, and with a minimum time between two runs. */
export const createThrottle = (
  work: () => void,
  { delayMs, minGapMs = 0 }: { delayMs: number; minGapMs?: number },
): Throttle => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  const ageMs = (): number => performance.now() - lastMs
  return {
    ask: (waitMs = delayMs) => {
      timer ??= setTimeout(
        () => {
          timer = undefined
          lastMs = performance.now()
          work()
        },
        Math.max(waitMs, minGapMs - ageMs()),
      )
    },
    ageMs,
    end: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
