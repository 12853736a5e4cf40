import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, exitConflict } from '../exit-codes.js'

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const holderOf = (file: string): number | undefined => {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

/** Keeps other runs from the folder; gives what ends that. The lock of a process that was killed does not count. */
export const lockFolder = (stateFolder: string): (() => void) => {
  const file = join(stateFolder, 'sync.lock')
  for (let attempt = 1; ; attempt++) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
      let isHeld = true
      return () => {
        // Another process may hold it by now.
        if (isHeld) rmSync(file, { force: true })
        isHeld = false
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const pid = holderOf(file)
      if (attempt > 1 || (pid !== undefined && pid !== process.pid && isRunning(pid))) {
        throw new CommandError(
          `Another wl sync is at work in this folder (process ${pid}). If that is not so, remove ${file}.`,
          exitConflict,
        )
      }
      rmSync(file, { force: true })
    }
  }
}
