/** The pauses of one loop. They keep no process alive. */
export const createPause = () => {
  let resume: (() => void) | undefined
  let isEnded = false

  const sleep = (ms: number, onResume: (resolve: () => void) => void): Promise<void> =>
    isEnded
      ? Promise.resolve()
      : new Promise((resolve) => {
          const timer = setTimeout(resolve, ms).unref()
          onResume(() => {
            clearTimeout(timer)
            resolve()
          })
        })
  let stop: (() => void) | undefined

  return {
    /** Until `wake`, or the time is over. */
    untilWoken: (ms: number): Promise<void> =>
      sleep(ms, (done) => {
        resume = done
        stop = done
      }),
    /** The whole time, unless it all ends. */
    rest: (ms: number): Promise<void> =>
      sleep(ms, (done) => {
        resume = undefined
        stop = done
      }),
    wake: (): void => resume?.(),
    end: (): void => {
      isEnded = true
      stop?.()
    },
  }
}
