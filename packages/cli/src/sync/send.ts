import { join } from 'node:path'
import { type ApiError, ForbiddenError, type KnowledgeItem } from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import { isAboutLinks, knowledgePathOf } from '../transfer/import-notes.js'
import type { NoteFields } from '../transfer/records.js'
import { wordsOf } from '../wording.js'
import type { Pair } from './decide.js'
import { hashOf, type LocalFile } from './files.js'
import { notLinked } from './links.js'
import { changedFields, fieldsOfItem, fieldsOfText, type ShownFields } from './note-fields.js'
import type { Pass } from './pass.js'
import { conditionOf, isOutdated } from './remote.js'
import { readNote } from './scan.js'
import type { SyncedNote } from './state.js'
import { shownBefore, syncedNote } from './synced-note.js'

interface Put {
  pair: Pair
  file: LocalFile
  version: number | null
  content: string
  fields: NoteFields
  onDone(item: KnowledgeItem): void
}

/** Writes a note. Links to notes that are not there yet, or have a successor, are left for later. */
const putUnit = (pass: Pass, put: Put, onLinks: (put: Put, error: ApiError) => Put | undefined): BulkUnit => {
  const { pair, file, version, content, fields } = put
  const { projectId, prefix } = pass.state.target
  return {
    operations: [
      {
        method: 'PUT',
        path: knowledgePathOf(pair.key),
        body: { ...fields, content, projectId },
        headers: conditionOf(version),
      },
    ],
    onDone: ([result]) => {
      const item = (result!.body as { data: KnowledgeItem }).data
      pass.remember(pair.path, syncedNote(item, file, prefix))
      put.onDone(item)
    },
    onRefusal: (error) => {
      if (isOutdated(error)) {
        pass.repeat()
        pass.leaveOpen()
        return undefined
      }
      if (fields.supersedes && isAboutLinks(error)) {
        const instead = onLinks(put, error)
        return instead && putUnit(pass, instead, onLinks)
      }
      pass.report({ action: 'skipped', path: pair.path, about: wordsOf(error) })
      return undefined
    },
  }
}

export interface Upload {
  pair: Pair
  version: number | null
  isKept: boolean
}

/** What is known if the answer is lost: the note may be there, with the text of the file. */
const asSent = ({ pair: { key, file, before }, version }: Upload): SyncedNote => {
  const { hash } = file!
  return before && version !== null ? { ...before, sent: hash } : { key, version: 0, hash }
}

/** A file as it is now; undefined where it was changed since it was looked at. */
const readUpload = (pass: Pass, { pair }: Upload): string | undefined => {
  const note = readNote(join(pass.root, pair.path))
  if ('text' in note && hashOf(note.bytes) === pair.file!.hash) return note.text
  pass.repeat()
  return undefined
}

/** Sends files that are new or changed, and the links between them once all are there. */
export const sendUploads = async (pass: Pass, uploads: readonly Upload[]): Promise<void> => {
  const { report, isDry, state } = pass
  const { prefix } = state.target
  const tell = ({ pair: { path }, isKept }: Upload): void =>
    isKept
      ? report({ action: 'kept', path, side: 'service', about: 'deleted on the service, changed here' })
      : report({ action: 'uploaded', path, side: 'service' })
  if (isDry) {
    uploads.forEach(tell)
    return
  }
  const linked: { put: Put; version: number }[] = []

  const withoutLinks = (put: Put): Put => {
    const { supersedes: _, ...fields } = put.fields
    return {
      ...put,
      fields,
      onDone: (item) => {
        put.onDone(item)
        linked.push({ put, version: item.version })
      },
    }
  }
  function* units(): Generator<BulkUnit> {
    for (const upload of uploads) {
      const text = readUpload(pass, upload)
      if (text === undefined) continue
      const { pair, version } = upload
      const before = version === null || !pair.before ? {} : shownBefore(pair.before)
      pass.remember(pair.path, asSent(upload))
      const fields = changedFields(before, fieldsOfText(text), prefix)
      const put = { pair, file: pair.file!, version, content: text, fields, onDone: () => tell(upload) }
      yield putUnit(pass, put, withoutLinks)
    }
  }
  await pass.send('uploading', units(), uploads.length)

  const again = linked.map(({ put, version }) =>
    putUnit(
      pass,
      { ...put, version, fields: { supersedes: put.fields.supersedes }, onDone: () => {} },
      ({ pair: { path } }, error) => {
        report({ action: 'note', path, about: notLinked(error) })
        return undefined
      },
    ),
  )
  await pass.send('linking', again, again.length)
}

export interface Agreement {
  pair: Pair
  item: KnowledgeItem
  file: LocalFile
  content: string
  fields: ShownFields
}

/** Lets fields and front matter on the service agree, where one of them was changed there alone. */
export const sendAgreements = async (pass: Pass, all: readonly Agreement[]): Promise<void> => {
  const { prefix } = pass.state.target
  const units = all.map(({ pair, item, file, content, fields }) => {
    const changed = changedFields(fieldsOfItem(item, prefix), fields, prefix)
    const put = { pair, file, version: item.version, content, fields: changed, onDone: () => {} }
    return putUnit(pass, put, ({ fields: { supersedes: _, ...rest } }) => ({ ...put, fields: rest }))
  })
  try {
    await pass.send('setting fields', units, units.length)
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
    // A key that may not write reads all the same.
    for (const { pair, item, file } of all) pass.remember(pair.path, syncedNote(item, file, prefix))
  }
}

export const sendDeletions = async (pass: Pass, pairs: readonly Pair[]): Promise<void> => {
  const { state, report, isDry } = pass
  const { projectId } = state.target
  const tell = ({ path }: Pair): void => report({ action: 'deleted', path, side: 'service' })
  if (isDry) pairs.forEach(tell)
  const units = pairs.map(
    (pair): BulkUnit => ({
      operations: [
        {
          method: 'DELETE',
          path: `${knowledgePathOf(pair.key)}${projectId === null ? '' : `?projectId=${projectId}`}`,
          headers: conditionOf(pair.note!.version),
        },
      ],
      onDone: () => {
        pass.remember(pair.path, undefined)
        tell(pair)
      },
      onRefusal: (error) => {
        if (isOutdated(error)) {
          pass.repeat()
          pass.leaveOpen()
        } else report({ action: 'skipped', path: pair.path, about: wordsOf(error) })
        return undefined
      },
    }),
  )
  await pass.send('deleting', units, units.length)
}
