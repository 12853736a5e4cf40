/** What a pool runs. */
export interface PooledTask {
  /** The pool whose width applies to it. */
  isComputing: boolean
  needsBundles: boolean
  run(): Promise<void>
}

interface PoolOptions {
  /** How many tasks that compute, and how many that wait, run at the same time. */
  computingWidth: number
  waitingWidth: number
  /** Resolves when the bundles are there. */
  bundles: Promise<void>
}

/** Runs tasks in two pools side by side, each in the order given; those that need bundles begin when these are there. */
export const runInPools = async (
  tasks: readonly PooledTask[],
  { computingWidth, waitingWidth, bundles }: PoolOptions,
): Promise<void> => {
  let hasBundles = false
  const bundled = bundles.then(() => {
    hasBundles = true
  })
  const drain = async (queue: PooledTask[]): Promise<void> => {
    while (queue.length > 0) {
      const at = queue.findIndex(({ needsBundles }) => hasBundles || !needsBundles)
      if (at === -1) await bundled
      else await queue.splice(at, 1)[0]!.run()
    }
  }
  const runPool = (isComputing: boolean, width: number): Promise<void>[] => {
    const queue = tasks.filter((task) => task.isComputing === isComputing)
    return Array.from({ length: width }, () => drain(queue))
  }
  await Promise.all([...runPool(true, computingWidth), ...runPool(false, waitingWidth), bundled])
}
