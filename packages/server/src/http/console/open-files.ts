import { readFileSync } from 'node:fs'

/** Files, sockets included, that the system lets this process open; Infinity where it does not tell. */
export const maxOpenFiles = (): number => {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}
