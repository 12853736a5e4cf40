import { createHash } from 'node:crypto'
import type { Sql } from '../../db/port.js'
import { windows } from '../embedding/windows.js'
import { isMostlyDense } from '../language.js'
import { taskText } from '../records.js'
import { itemsAt, tasksById } from '../store.js'
import type { Job } from './queue-store.js'

/** The text of a record that stands for its meaning; undefined where it is gone. */
export const textOf = async (db: Sql, { tenant_id, kind, project_id, subject }: Job): Promise<string | undefined> => {
  if (kind === 'task') {
    const [row] = await tasksById(db, tenant_id, [subject])
    if (!row) return undefined
    const { title, description } = taskText(row)
    return `${title}\n${description}`
  }
  const [row] = await itemsAt(db, tenant_id, [{ project_id, key: subject }])
  return row && (JSON.parse(row.content) as string)
}

/** What of a text is given to the model: nothing where it could not read it. */
export const partsOf = (text: string, isEnglishOnly: boolean): string[] =>
  isEnglishOnly && isMostlyDense(text) ? [] : windows(text)

export const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
