/** A task that an agent holds, whichever way it came by it. */
export interface HeldWork {
  token: string
  /** Writes under the claim. */
  write(): Promise<void>
  /** Hands the task back, to be taken again at once or a little later. */
  handBack(isDelayed: boolean): Promise<void>
  /** Hands the task in, alone or with what was learned. */
  finish(isNoted: boolean): Promise<void>
}

/** How an agent takes work. */
export interface WorkDoor {
  /** The next task; null where none is ready, or none became ready while it waited. */
  next(isWaiting: boolean): Promise<HeldWork | null>
  isClaimLost(error: unknown): boolean
}
