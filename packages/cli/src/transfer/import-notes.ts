import type { ApiError } from 'worklore-client'
import { PreconditionFailedError } from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import type { SourceNote } from './records.js'

export interface NoteTarget {
  /** Null for the whole tenant. */
  projectIdOf(note: SourceNote): string | null
  isThere(projectId: string | null, key: string): boolean
}

export interface NoteReport {
  created: number
  existing: number
}

const pathOf = (key: string): string => `/v1/knowledge/${key.split('/').map(encodeURIComponent).join('/')}`

/** Notes are created under their keys; what is there already stays as it is. */
export const createNoteImport = (
  notes: readonly SourceNote[],
  target: NoteTarget,
  onBad: (note: SourceNote, error: ApiError) => void,
) => {
  const report: NoteReport = { created: 0, existing: 0 }
  const missing = notes.filter((note) => !target.isThere(target.projectIdOf(note), note.key))
  report.existing = notes.length - missing.length

  const unitOf = (note: SourceNote): BulkUnit => ({
    operations: [
      {
        method: 'PUT',
        path: pathOf(note.key),
        body: { content: note.content(), projectId: target.projectIdOf(note) },
        headers: { 'If-None-Match': '*' },
      },
    ],
    onDone: () => {
      report.created++
    },
    onRefusal: (error) => {
      if (error instanceof PreconditionFailedError) report.existing++
      else onBad(note, error)
      return undefined
    },
  })

  return {
    report,
    toCreate: missing.length,
    *creations(): Generator<BulkUnit> {
      for (const note of missing) yield unitOf(note)
    },
  }
}
