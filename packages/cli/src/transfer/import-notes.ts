import { type ApiError, ConflictError, PreconditionFailedError, ValidationError } from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import { wordsOf } from '../wording.js'
import type { SourceNote } from './records.js'

export interface NoteTarget {
  /** Null for the whole tenant. */
  projectIdOf(note: SourceNote): string | null
  isThere(projectId: string | null, key: string): boolean
}

interface NoteReport {
  created: number
  existing: number
}

export const knowledgePathOf = (key: string): string =>
  `/v1/knowledge/${key.split('/').map(encodeURIComponent).join('/')}`

export const isAboutLinks = (error: ApiError): boolean =>
  error instanceof ConflictError ||
  (error instanceof ValidationError && error.details.some(({ path }) => path.startsWith('supersedes')))

/**
 * Notes after those that they supersede. Retracted ones as early as possible: a note can have one successor, and a
 * retracted one leaves room for another.
 */
const inOrder = (notes: readonly SourceNote[], replacedBy: (note: SourceNote) => SourceNote[]): SourceNote[] => {
  const ordered = new Set<SourceNote>()
  const entered = new Set<SourceNote>()
  const isRetracted = ({ retraction }: SourceNote): boolean => retraction !== undefined
  const waiting = [...notes.filter((note) => !isRetracted(note)).reverse(), ...notes.filter(isRetracted).reverse()]
  for (let note = waiting.at(-1); note; note = waiting.at(-1)) {
    if (entered.has(note)) {
      ordered.add(note)
      waiting.pop()
    } else {
      entered.add(note)
      waiting.push(...replacedBy(note).filter((old) => !entered.has(old)))
    }
  }
  return [...ordered]
}

/** Notes are created under their keys; what is there already stays as it is. */
export const createNoteImport = (
  notes: readonly SourceNote[],
  target: NoteTarget,
  onBad: (note: SourceNote, error: ApiError) => void,
) => {
  const report: NoteReport = { created: 0, existing: 0 }
  const droppedLinks: string[] = []
  const nameOf = (note: SourceNote, key = note.key): string => `${target.projectIdOf(note) ?? ''} ${key}`
  const drop = ({ key }: SourceNote, old: string, reason: string) => droppedLinks.push(`${key} → ${old}: ${reason}`)

  const missing = notes.filter((note) => !target.isThere(target.projectIdOf(note), note.key))
  report.existing = notes.length - missing.length
  const byName = new Map(missing.map((note) => [nameOf(note), note]))
  const linksOf = new Map(
    missing.map((note) => {
      const isThere = (old: string) => byName.has(nameOf(note, old)) || target.isThere(target.projectIdOf(note), old)
      const links = note.fields?.supersedes ?? []
      for (const old of links) if (!isThere(old)) drop(note, old, 'not in the import')
      return [note, links.filter(isThere)]
    }),
  )

  const unitOf = (note: SourceNote, supersedes: string[]): BulkUnit => {
    const { key, fields, retraction } = note
    const projectId = target.projectIdOf(note)
    return {
      operations: [
        {
          method: 'PUT',
          path: knowledgePathOf(key),
          body: { ...fields, supersedes, content: note.content(), projectId },
          headers: { 'If-None-Match': '*' },
        },
        ...(retraction === undefined
          ? []
          : [
              {
                method: 'POST' as const,
                path: '/v1/knowledge/retract',
                body: { key, projectId: projectId ?? undefined, reason: retraction },
              },
            ]),
      ],
      onDone: () => {
        report.created++
      },
      onRefusal: (error) => {
        if (error instanceof PreconditionFailedError) report.existing++
        else if (supersedes.length > 0 && isAboutLinks(error)) {
          for (const old of supersedes) drop(note, old, wordsOf(error))
          return unitOf(note, [])
        } else onBad(note, error)
        return undefined
      },
    }
  }

  const replacedBy = (note: SourceNote): SourceNote[] =>
    linksOf.get(note)!.flatMap((old) => byName.get(nameOf(note, old)) ?? [])

  return {
    report,
    /** Which notes were to supersede which, and why they do not. */
    droppedLinks,
    toCreate: missing.length,
    *creations(): Generator<BulkUnit> {
      for (const note of inOrder(missing, replacedBy)) yield unitOf(note, linksOf.get(note)!)
    },
  }
}
