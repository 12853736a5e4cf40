/** Rings once, at the earliest of the times that it was set to since. It keeps no process alive. */
export const createAlarm = (ring: () => void) => {
  let timer: NodeJS.Timeout | undefined
  let ringsAtMs = Number.POSITIVE_INFINITY
  let isEnded = false
  return {
    set: (atMs: number): void => {
      if (isEnded || atMs >= ringsAtMs) return
      clearTimeout(timer)
      ringsAtMs = atMs
      const onTime = (): void => {
        ringsAtMs = Number.POSITIVE_INFINITY
        ring()
      }
      timer = setTimeout(onTime, Math.max(0, atMs - performance.now())).unref()
    },
    end: (): void => {
      isEnded = true
      clearTimeout(timer)
    },
  }
}
