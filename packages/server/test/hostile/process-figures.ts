import { readdirSync, readFileSync } from 'node:fs'

/** Linux alone tells these of another process. */
export const hasProcessFigures = process.platform === 'linux'

export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024

export const openFilesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Nanoseconds that the main thread of a process has run, and that it has waited for a processor. */
export const processorTimeOf = (pid: number): { ran: number; waited: number } => {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  return { ran: ran!, waited: waited! }
}
