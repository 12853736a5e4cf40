/** Time that a part of a test process took. */
export interface Cost {
  wallMs: number
  /** Processor time of the test process. */
  ownMs: number
  /** Processor time of the processes started by the test process. */
  childrenMs: number
}

export const noCost = (): Cost => ({ wallMs: 0, ownMs: 0, childrenMs: 0 })

export const addCost = (to: Cost, more: Cost): void => {
  to.wallMs += more.wallMs
  to.ownMs += more.ownMs
  to.childrenMs += more.childrenMs
}

/** The cost of an outermost suite on one engine. */
export interface SuiteCost extends Cost {
  suite: string
  engine: string | undefined
}

/** Name for the time before the first test, when Node, the service and the test files are loaded. */
export const loading = 'loading'
