import { readdirSync, readFileSync } from 'node:fs'

/** Fields of /proc/PID/stat after the name, which may itself hold spaces and brackets. */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Linux counts in hundredths of a second for every architecture. */
const microsecondsPerTick = 10_000

/** User and system time of a process with all of its threads. */
export const cpuMicroseconds = (pid: number): number => {
  const stat = statOf(pid)
  return (Number(stat[11]) + Number(stat[12])) * microsecondsPerTick
}

/** The same of a process and its children, those that have ended included. */
export const familyCpuMicroseconds = (pid: number): number => {
  const stat = statOf(pid)
  let total = cpuMicroseconds(pid) + (Number(stat[13]) + Number(stat[14])) * microsecondsPerTick
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (Number(statOf(Number(name))[1]) === pid) total += cpuMicroseconds(Number(name))
    } catch {
      // It ended while we were looking.
    }
  }
  return total
}

export interface Memory {
  megabytes: number
  /** The part that is pages of mapped files, which the system takes back when it needs them. */
  ofFiles: number
}

export const memoryOf = (pid: number): Memory => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024
  return { megabytes: megabytes('VmRSS'), ofFiles: megabytes('RssFile') }
}

const settleStepMs = 500
const idleShare = 0.1
/** Between two pieces of such work there may be a short rest. */
const idleSteps = 3

/** Waits until a process has finished what goes on beside the requests, such as the index that follows the writes. */
export const untilIdle = async (pid: number, mostMs = 900_000): Promise<void> => {
  let idle = 0
  for (let waitedMs = 0; waitedMs < mostMs && idle < idleSteps; waitedMs += settleStepMs) {
    const before = cpuMicroseconds(pid)
    await new Promise((resolve) => setTimeout(resolve, settleStepMs))
    idle = cpuMicroseconds(pid) - before < settleStepMs * 1_000 * idleShare ? idle + 1 : 0
  }
}
