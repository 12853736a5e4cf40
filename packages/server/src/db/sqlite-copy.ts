import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from '@photostructure/sqlite'

const checkSoundness = (path: string): void => {
  const connection = new DatabaseSync(path, { readOnly: true })
  try {
    const [row] = connection.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    if (row?.integrity_check !== 'ok') throw new Error(`${path} is damaged: ${row?.integrity_check}`)
  } finally {
    connection.close()
  }
}

/**
 * Copies one database over another with SQLite's online backup, a consistent copy of one moment, and checks the
 * result. Either may be in use. Answers how many pages were copied.
 */
export const copyDatabase = async (sourcePath: string, targetPath: string): Promise<number> => {
  checkSoundness(sourcePath)
  mkdirSync(dirname(targetPath), { recursive: true })
  const source = new DatabaseSync(sourcePath, { readOnly: true, timeout: 5_000 })
  try {
    // All pages in one step: a step that lets go of the source would begin again after each write to it.
    const pages = await backup(source, targetPath, { rate: 2_147_483_647 })
    checkSoundness(targetPath)
    return pages
  } finally {
    source.close()
  }
}
