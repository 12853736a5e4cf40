import type { Claim, Project, Task } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { loadPart } from '../components/on-demand'
import { findStatus, statusIn } from '../store/cards/statuses'
import type { TaskCard } from '../store/cards/task-card'
import type { Console } from '../store/console'
import type { UndoEntry } from '../store/undo-stack'
import { offerUndo } from '../undo/use-undo-last'
import { holderText, isLive } from './claim-mark'

/** A task that someone else is working on. */
export interface HeldTask {
  card: TaskCard
  claim: Claim
}

/** The tasks whose live claims a status would end. Without the scope admin the service refuses that anyway. */
export const heldTasks = (console: Console, ids: readonly string[], status: string): HeldTask[] => {
  const { tasks, projects } = console
  const me = console.me.get()
  if (!hasScope(me, 'admin')) return []
  return ids.flatMap((id) => {
    const card = tasks.card(id)
    const claim = card?.claim ?? null
    if (!card || !isLive(claim, Date.now()) || claim.keyId === me.key.id) return []
    return statusIn(projects.get(card.projectId), status).category === 'in_progress' ? [] : [{ card, claim }]
  })
}

/** Whether a status ends the claim of a task. A claim does not come back: the task is handed out again. */
export const endsClaim = ({ claim }: TaskCard | Task, status: string, project: Project | undefined): boolean =>
  claim !== null && findStatus(project, status)?.category !== 'in_progress'

const holdersOf = ({ users }: Console, held: readonly HeldTask[]): string =>
  [...new Set(held.map(({ claim }) => holderText(users, claim)))].join(', ')

/** Asks before tasks are taken from those who work on them; resolves with whether to go on. */
export const mayEndClaims = async (console: Console, held: readonly HeldTask[], status: string): Promise<boolean> => {
  const { askToEndClaims } = await loadPart(() => import('./end-claims-dialog'))
  return askToEndClaims(console.users, held, statusIn(console.projects.get(held[0]!.card.projectId), status).name)
}

/** Said once a change that ended claims is undone: the claims do not come back. */
export const claimAgainText = (console: Console, held: readonly HeldTask[]): string =>
  `To go on, ${holdersOf(console, held)} must claim ${held.length === 1 ? 'it' : 'them'} again`

/** Says what was done and whose claims have ended, and offers to put the tasks back where that changes anything. */
export const tellEnded = (console: Console, held: readonly HeldTask[], entry: UndoEntry): void => {
  if (held.length === 0) {
    offerUndo(console, entry)
    return
  }
  const [verb, it] = held.length === 1 ? ['holds', 'it'] : ['hold', 'them']
  entry.note = claimAgainText(console, held)
  offerUndo(console, entry, `${entry.what}. ${holdersOf(console, held)} no longer ${verb} ${it}.`)
}
