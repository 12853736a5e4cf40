export interface PooledTask {
  /** Whether it runs in the pool for tasks that compute, or in the pool for tasks that wait. */
  isComputing: boolean
  needsBundles: boolean
  run(): Promise<void>
}

interface PoolOptions {
  /** Number of tasks that each pool runs at the same time. */
  computingWidth: number
  waitingWidth: number
  /** Resolves when the bundles are built. */
  bundles: Promise<void>
}

/** Runs tasks in two pools side by side, in the given order. Tasks that need bundles start once `bundles` resolves. */
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
