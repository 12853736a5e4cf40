import { readFileSync } from 'node:fs'

/** Linux counts a process's time in hundredths of a second. */
const msPerTick = 10

interface Times {
  ownMs: number
  /** Processor time of ended children that were waited for, including their own children. */
  endedChildrenMs: number
}

/** Returns the processor time of a process, or undefined if it has ended or the system has no /proc. */
const readTimes = (pid: number | 'self'): Times | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const msOf = (at: number): number => Number(fields[at]) * msPerTick
    return { ownMs: msOf(11) + msOf(12), endedChildrenMs: msOf(13) + msOf(14) }
  } catch {
    return undefined
  }
}

const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Returns the processor time of a process and all its descendants, or 0 if the system has no /proc. */
export const treeTimeMs = (pid: number): number => {
  const times = readTimes(pid)
  return (times?.ownMs ?? 0) + (times?.endedChildrenMs ?? 0) + liveChildrenTimeMs(pid)
}

const liveChildrenTimeMs = (pid: number): number => childrenOf(pid).reduce((sum, child) => sum + treeTimeMs(child), 0)

/** Returns the processor time of all descendants of this process. */
export const descendantsTimeMs = (): number =>
  (readTimes('self')?.endedChildrenMs ?? 0) + liveChildrenTimeMs(process.pid)
