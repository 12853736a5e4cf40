/** npm passes one Ctrl-C on twice, so only a later signal is a second one. */
const secondSignalAfterMs = 1_000

/**
 * npm starts the service through a shell, which a signal to npm ends without passing it on: then the service has
 * another parent, and that is its signal.
 */
const whenParentEnds = (stop: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 250)
  timer.unref()
}

interface StopSignals {
  /** Called once. */
  stop(signal: NodeJS.Signals): void
  /** Called at a second signal. */
  stopAtOnce(): void
  /** Whether npm started this process. */
  isOfNpm: boolean
}

export const onStopSignals = ({ stop, stopAtOnce, isOfNpm }: StopSignals): void => {
  let stoppingSince: number | undefined
  const receive = (signal: NodeJS.Signals): void => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now()
      stop(signal)
    } else if (performance.now() - stoppingSince >= secondSignalAfterMs) {
      stopAtOnce()
    }
  }
  process.on('SIGTERM', receive)
  process.on('SIGINT', receive)
  if (isOfNpm) whenParentEnds(() => receive('SIGTERM'))
}
