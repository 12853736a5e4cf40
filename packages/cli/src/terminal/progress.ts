import { printable } from './screen.js'

/** A share as a bar of so many characters. */
export const bar = (share: number, width: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

/** Tells how far long work has come. */
export interface Progress {
  /** Of what is being done now, how much is done. */
  update(what: string, done: number, total: number): void
  /** Says something above the bar. */
  note(line: string): void
  end(): void
}

const barWidth = 24
const minMsBetween = 100

/** A bar on a terminal's standard error; elsewhere only what is said. */
export const createProgress = (stream: NodeJS.WriteStream = process.stderr): Progress => {
  let shownAtMs = 0
  const clear = (): void => void stream.write('\r\u001b[K')
  return {
    update: (what, done, total) => {
      if (!stream.isTTY || (done < total && Date.now() - shownAtMs < minMsBetween)) return
      shownAtMs = Date.now()
      const share = total === 0 ? 1 : done / total
      stream.write(`\r\u001b[K${bar(share, barWidth)} ${Math.floor(share * 100)} %  ${what} ${done}/${total}`)
    },
    note: (line) => {
      if (stream.isTTY) clear()
      stream.write(`${printable(line)}\n`)
    },
    end: () => {
      if (stream.isTTY) clear()
    },
  }
}
