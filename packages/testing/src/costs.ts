/** What one part of a test process took. */
export interface Cost {
  wallMs: number
  /** Processor time of the test process. */
  ownMs: number
  /** Processor time of the processes that it has started. */
  childrenMs: number
}

export const noCost = (): Cost => ({ wallMs: 0, ownMs: 0, childrenMs: 0 })

export const addCost = (to: Cost, more: Cost): void => {
  to.wallMs += more.wallMs
  to.ownMs += more.ownMs
  to.childrenMs += more.childrenMs
}

/** What is spent in a test process, by the outermost suite and by the engine of its tests. */
export interface SuiteCost extends Cost {
  suite: string
  engine: string | undefined
}

/** The part before the first test: loading Node, the service and the test files. */
export const loading = 'loading'
