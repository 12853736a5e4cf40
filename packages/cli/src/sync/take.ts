import type { KnowledgeItem } from 'worklore-client'
import { changeFolder } from './change-folder.js'
import type { Pair } from './decide.js'
import { hashOf, type LocalFile } from './files.js'
import { type FieldsBefore, fieldsOfItem, renderNote, type ShownFields } from './note-fields.js'
import type { Pass } from './pass.js'
import { conflictName } from './paths.js'
import type { Report } from './report.js'
import type { SyncedNote } from './state.js'
import { arrivedNote, isAsBefore, syncedNote } from './synced-note.js'

/** What is left to do on the service after its note was read. */
export type Taken =
  | { kind: 'done' }
  | { kind: 'upload'; version: number; before: SyncedNote }
  /** Its fields and its front matter do not say the same. */
  | { kind: 'write'; item: KnowledgeItem; file: LocalFile; content: string; fields: ShownFields }

const fieldsBefore = ({ fields = {}, said = fields }: SyncedNote): FieldsBefore => ({ fields, said })

/** What was last the same on both sides: also what was sent without an answer, if it has arrived. */
const lastSame = (before: SyncedNote | undefined, item: KnowledgeItem, prefix: string): SyncedNote | undefined => {
  if (!before) return undefined
  const hash = hashOf(item.content)
  if (hash === before.sent || (before.version === 0 && hash === before.hash)) {
    return arrivedNote(item, before, prefix)
  }
  return before.version === 0 ? undefined : before
}

/** Takes a note that is new or changed on the service into the folder. */
export const takeNote = (pass: Pass, pair: Pair, item: KnowledgeItem): Taken => {
  const { state, folder, isDry, report } = pass
  const { path, file } = pair
  const { prefix } = state.target
  const before = lastSame(pair.before, item, prefix)
  const fields = fieldsOfItem(item, prefix)
  const { text, hidden, toWrite } = renderNote(item.content, fields, before && fieldsBefore(before))
  const hash = hashOf(text)

  const remember = (now: LocalFile): Taken => {
    if (hidden.length > 0) {
      const about = `its front matter is left as it is and does not show ${hidden.join(', ')} of the service`
      report({ action: 'note', path, about })
    }
    if (!toWrite) pass.remember(path, syncedNote(item, now, prefix))
    // Both are the same once that is written.
    else if (before) pass.remember(path, { ...before, sent: now.hash })
    return toWrite ? { kind: 'write', item, file: now, ...toWrite } : { kind: 'done' }
  }
  const write = (over: LocalFile | undefined, done?: Report): Taken => {
    const isDone = changeFolder(pass, path, () => isDry || folder.write(path, text, over?.stat))
    if (isDone && done) report(done)
    return isDone && !isDry ? remember(folder.look(path, hash)) : { kind: 'done' }
  }

  const downloaded: Report = { action: 'downloaded', path, side: 'folder' }
  if (!file) {
    // Moved there and no more, as a run that was interrupted leaves it: the next pass deletes it.
    if (before && isAsBefore(item, before, prefix)) {
      pass.remember(path, { ...before, version: item.version })
      pass.repeat()
      return { kind: 'done' }
    }
    return pair.before
      ? write(undefined, { action: 'kept', path, side: 'folder', about: 'deleted here, changed on the service' })
      : write(undefined, downloaded)
  }
  if (file.hash === hash) return remember(file)
  if (file.hash === before?.hash || file.hash === hashOf(item.content)) {
    return write(file, downloaded)
  }
  if (before && isAsBefore(item, before, prefix)) return { kind: 'upload', version: item.version, before }
  let name = conflictName(path, 1)
  const setAside = (): void => {
    name = folder.setAside(path, file.stat)
  }
  if (!isDry && !changeFolder(pass, path, setAside)) return { kind: 'done' }
  pass.setAside.set(file.hash, name)
  report({ action: 'conflict', path, about: name })
  return write(undefined)
}
