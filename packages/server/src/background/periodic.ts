/** Work that is repeated beside the requests. */
export interface PeriodicJob {
  /** What it does, for the log and metrics: "trimming events". */
  name: string
  intervalMs: number
  run(): Promise<void>
}

interface PeriodicJobs {
  /** Resolves once nothing is running. */
  stop(): Promise<void>
}

/** Repeats jobs. A job never overlaps itself; one that fails runs again at its next time. */
export const startPeriodicJobs = (
  jobs: readonly PeriodicJob[],
  onError: (name: string, error: unknown) => void,
  onSuccess: (name: string) => void = () => {},
): PeriodicJobs => {
  const running = new Map<string, Promise<void>>()
  const timers = jobs.map(({ name, intervalMs, run }) =>
    setInterval(() => {
      if (running.has(name)) return
      const ended = run()
        .then(
          () => onSuccess(name),
          (error) => onError(name, error),
        )
        .finally(() => running.delete(name))
      running.set(name, ended)
    }, intervalMs).unref(),
  )
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}
