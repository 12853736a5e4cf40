import type { DestinationStream } from 'pino'

const maxHeldLines = 1_000
/** A start that takes longer, such as one with migrations of a large database, shows its log as it goes. */
const maxHoldMs = 30_000

export interface HeldOutput extends DestinationStream {
  /** Writes what was held back, and from then on each line at once. */
  release(): void
}

/** Buffers the startup log until the service listens, so that the banner after it is not interrupted. */
export const holdOutput = (output: DestinationStream): HeldOutput => {
  let held: string[] | undefined = []
  const release = (): void => {
    const lines = held ?? []
    held = undefined
    for (const line of lines) output.write(line)
  }
  setTimeout(release, maxHoldMs).unref()
  return {
    write: (line) => {
      if (held === undefined) output.write(line)
      else if (held.push(line) === maxHeldLines) release()
    },
    release,
  }
}
