export interface Progress {
  say(text: string): void
  end(): void
}

/** One line that is written over again on a terminal; a line for each new thing elsewhere. */
export const createProgress = (): Progress => {
  const startedAt = performance.now()
  const { stderr } = process
  let last = ''
  return {
    say: (text) => {
      const stamp = `${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`
      if (stderr.isTTY) stderr.write(`\r\x1b[2K${stamp}`)
      else if (text.split(':', 1)[0] !== last) stderr.write(`${stamp}\n`)
      last = text.split(':', 1)[0]!
    },
    end: () => void (stderr.isTTY && stderr.write('\r\x1b[2K')),
  }
}
