export const exitDone = 0
export const exitFailed = 1
export const exitUsage = 2
export const exitNothing = 3
export const exitUnauthorized = 4
export const exitConflict = 5
export const exitUnavailable = 6
export const exitInterrupted = 130

/** An end that the command foresaw: its message is all that is printed. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitFailed) {
    super(message)
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, exitUsage)
