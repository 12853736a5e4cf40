import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** When the newest of some files, and of all files of some folders, was changed. */
export const newestIn = (paths) =>
  paths.reduce((newest, path) => {
    const stat = statSync(path)
    const inside = stat.isDirectory() ? newestIn(readdirSync(path).map((name) => join(path, name))) : 0
    return Math.max(newest, stat.mtimeMs, inside)
  }, 0)
