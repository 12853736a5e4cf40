import type { Worklore } from 'worklore-client'
import type { GitHub } from '../github/client.js'
import type { Writers } from './markers.js'
import type { People } from './people.js'
import type { Report } from './report.js'

export type Direction = 'both' | 'in' | 'out'

export interface SyncSettings {
  direction: Direction
  /** New links are made only for issues and tasks with all of these labels. */
  labels: readonly string[]
  /** The status that a merged pull request gives the tasks it closes. */
  onMerge: string | undefined
  withDeletions: boolean
  isDryRun: boolean
  /** How long a request of an ended run may still take effect. */
  settleMs: number
}

/** What every step of a run works with. */
export interface SyncContext extends SyncSettings {
  wl: Worklore
  github: GitHub
  /** `owner/name`, as GitHub spells it. */
  repo: string
  projectId: string
  /** Names this run in reservations. */
  run: string
  writers: Writers
  people(): Promise<People>
  report: Report
}

export const goesIn = ({ direction }: Pick<SyncSettings, 'direction'>): boolean => direction !== 'out'
export const goesOut = ({ direction }: Pick<SyncSettings, 'direction'>): boolean => direction !== 'in'
