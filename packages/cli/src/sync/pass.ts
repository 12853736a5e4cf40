import type { Worklore } from 'worklore-client'
import type { BulkUnit } from 'worklore-client/bulk'
import type { Folder } from './files.js'
import type { Remote, RemoteNotes } from './remote.js'
import type { Report } from './report.js'
import type { Scan } from './scan.js'
import type { SyncedNote, SyncState } from './state.js'

/** What one pass over both sides works with. */
export interface Pass {
  wl: Worklore
  root: string
  folder: Folder
  remote: Remote
  state: SyncState
  scan: Scan
  there: RemoteNotes
  isDry: boolean
  /** Conflict files of this pass, by the hash of their text. */
  setAside: Map<string, string>
  report(report: Report): void
  progress(what: string, done: number, total: number): void
  /** Sends writes in batches. In a dry run nothing is sent. */
  send(what: string, units: Iterable<BulkUnit>, total: number): Promise<void>
  /** Remembers a file and its note as they are now; undefined forgets them. */
  remember(path: string, note: SyncedNote | undefined): void
  /** Something was changed meanwhile: another pass is needed. */
  repeat(): void
  /** A change on the service was not taken over: the next pass lists its notes again. */
  leaveOpen(): void
}
