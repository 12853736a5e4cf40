import { readdirSync, readFileSync } from 'node:fs'

/** Fields of /proc/PID/stat after the name, which may itself hold spaces and brackets. */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Linux counts in hundredths of a second for every architecture. */
const microsecondsPerTick = 10_000

/** User and system time of a process with all of its threads. */
const microsecondsOf = (stat: readonly string[]): number => (Number(stat[11]) + Number(stat[12])) * microsecondsPerTick

export const cpuMicroseconds = (pid: number): number => microsecondsOf(statOf(pid))

/** What `read` says of each child of a process; one that ends while it is looked at is left out. */
const ofChildren = <T>(pid: number, read: (child: number, stat: readonly string[]) => T): T[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const child = Number(name)
      try {
        const stat = statOf(child)
        return Number(stat[1]) === pid ? [read(child, stat)] : []
      } catch {
        return []
      }
    })

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The same of a process and its children, those that have ended included. */
export const familyCpuMicroseconds = (pid: number): number => {
  const stat = statOf(pid)
  const ofEnded = (Number(stat[13]) + Number(stat[14])) * microsecondsPerTick
  return ofEnded + microsecondsOf(stat) + sum(ofChildren(pid, (_, child) => microsecondsOf(child)))
}

export interface Memory {
  megabytes: number
  /** The part that is pages of mapped files, which the system takes back when it needs them. */
  ofFiles: number
  /** After a rest, in which V8 gives back what it kept for the next requests. */
  atRest: number
}

const megabytesOf = (pid: number, name: string): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024
}

const familyMegabytes = (pid: number, name: string): number =>
  megabytesOf(pid, name) + sum(ofChildren(pid, (child) => megabytesOf(child, name)))

/** Of a process and its children. */
export const residentMegabytes = (pid: number): number => familyMegabytes(pid, 'VmRSS')

const restMs = 45_000

/** What a process and its children hold at the end of a load. */
export const memoryAfterLoad = async (pid: number): Promise<Memory> => {
  const [megabytes, ofFiles] = [residentMegabytes(pid), familyMegabytes(pid, 'RssFile')]
  await new Promise((resolve) => setTimeout(resolve, restMs))
  return { megabytes, ofFiles, atRest: residentMegabytes(pid) }
}

const settleStepMs = 500
const idleShare = 0.1
/** Between two pieces of such work there may be a short rest. */
const idleSteps = 3

/** Waits until a process and its children have finished what goes on beside the requests, such as indexing and embedding. */
export const untilIdle = async (pid: number, maxMs = 1_800_000): Promise<void> => {
  let idle = 0
  for (let waitedMs = 0; waitedMs < maxMs && idle < idleSteps; waitedMs += settleStepMs) {
    const before = familyCpuMicroseconds(pid)
    await new Promise((resolve) => setTimeout(resolve, settleStepMs))
    idle = familyCpuMicroseconds(pid) - before < settleStepMs * 1_000 * idleShare ? idle + 1 : 0
  }
}
