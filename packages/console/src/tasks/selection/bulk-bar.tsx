import { type ReactNode, useState } from 'react'
import type { Project } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { labelChoice } from '../../components/avatar'
import { Button, IconButton } from '../../components/button'
import { Confirm } from '../../components/confirm'
import { countOf, numberText } from '../../components/count'
import { Icon } from '../../components/icons'
import { type Choice, Picker } from '../../components/menu'
import { useObservable } from '../../store/base/observable'
import { statusIn } from '../../store/cards/statuses'
import { priorityNames, type TaskCard } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useCardView, useMe, useProjects, useUsers } from '../../store/records'
import { isLive } from '../claim-mark'
import { type HeldTask, heldTasks } from '../end-claims'
import { Holders, heldOf } from '../holders'
import { labelsIn, priorityChoices, statusChoices, useAssigneeChoices } from '../pickers'
import { RefusedDialog } from './refused-dialog'
import { type BulkChange, runBulk } from './run-bulk'
import { type Matching, maxSelected, useSelection } from './selection'
import { useTold } from './use-told'
import '../../styles/selection.css'

interface Pending {
  change: BulkChange
  what: string
  cards: readonly TaskCard[]
}

/** A status or a deletion ends the claim of whoever works on the task. */
const endsClaims = ({ kind, ...change }: BulkChange): boolean =>
  kind === 'delete' || ('patch' in change && change.patch.status !== undefined)

interface MoreToSelectProps extends Matching {
  count: number
  onSelectAll: () => void
}

/** How many could be selected besides. */
const MoreToSelect = ({ count, ids, isPartial, onSelectAll }: MoreToSelectProps): ReactNode => {
  const all = numberText(ids.length)
  if (count >= maxSelected) {
    return ids.length > count && <span className="muted">of {all} that match, the most at once</span>
  }
  if (ids.length <= count) return isPartial && <span className="muted">Loading more…</span>
  return (
    <Button kind="quiet" small onClick={onSelectAll}>
      {ids.length > maxSelected
        ? `Select ${numberText(maxSelected)} of ${all}`
        : isPartial
          ? 'Select all'
          : `Select all ${all}`}
    </Button>
  )
}

/** What can be done to the selected tasks. */
const BulkBar = (): ReactNode => {
  const console = useConsole()
  const { toasts } = console
  const tasks = useCardView()
  const projects = useProjects()
  const users = useUsers()
  const selection = useSelection()
  const ids = useObservable(selection.ids) ?? new Set<string>()
  const matching = useObservable(selection.matching)
  const people = useAssigneeChoices()
  const canWrite = hasScope(useMe(), 'tasks:write')
  const [asked, setAsked] = useState<Pending | null>(null)
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)
  const { refused, tell, dismiss } = useTold()
  const count = ids.size
  const cards = [...ids].flatMap((id) => tasks.card(id) ?? [])
  const isIdle = cards.length === 0 || progress !== null

  const endedBy = (change: BulkChange, cards: readonly TaskCard[]): HeldTask[] => {
    if (change.kind === 'delete') return heldOf(cards).map((card) => ({ card, claim: card.claim! }))
    if (change.kind !== 'patch' || !change.patch.status) return []
    return heldTasks(
      console,
      cards.map(({ id }) => id),
      change.patch.status,
    )
  }
  const run = async ({ change, what, cards }: Pending): Promise<void> => {
    setProgress({ done: 0, of: cards.length })
    const held = endedBy(change, cards)
    try {
      const outcome = await runBulk(console, cards, change, (count) =>
        setProgress((value) => value && { ...value, done: value.done + count }),
      )
      const ended = held.filter(({ card }) => outcome.done.includes(card.id))
      // Tasks that were taken from their holders are in To do again, and would be put back there.
      const isFinal = change.kind === 'patch' && change.patch.status === 'todo' && ended.length === outcome.done.length
      tell(outcome, what, 'task', { ended, isFinal })
      const left = outcome.refused.map(({ id }) => id)
      if (left.length > 0) selection.set(left)
      else selection.endOnceGone()
    } catch (error) {
      toasts.error(`Not all tasks were changed. ${errorText(error)}`)
    }
    setProgress(null)
  }
  const start = (change: BulkChange, what: string): void => {
    const pending = { change, what, cards }
    const mustAsk =
      change.kind === 'delete' || (endsClaims(change) && cards.some(({ claim }) => isLive(claim, Date.now())))
    if (mustAsk) setAsked(pending)
    else void run(pending)
  }

  /** The statuses of the project; those of several projects have the built-in ones in common. */
  const project = (): Project | undefined => {
    const [first, ...others] = new Set(cards.map(({ projectId }) => projectId))
    return others.length === 0 ? projects.get(first ?? '') : undefined
  }
  const common = { selected: [], className: 'bordered', isDisabled: isIdle }
  const labelChoices = (): Choice<string>[] =>
    [...new Set([...labelsIn(cards), ...labelsIn(matchingCards())])].map(labelChoice)
  const matchingCards = (): TaskCard[] => matching.ids.flatMap((id) => tasks.card(id) ?? [])
  const held = heldOf(asked?.cards ?? [])

  return (
    <>
      <div className="bulk-bar" role="toolbar" aria-label="Selected tasks">
        <span className="bulk-count" role="status">
          {progress ? `${numberText(progress.done)} of ${numberText(progress.of)}…` : `${numberText(count)} selected`}
        </span>
        <MoreToSelect count={count} {...matching} onSelectAll={selection.selectAll} />
        {canWrite && (
          <>
            <Picker
              label="Set status"
              choices={() => statusChoices(project())}
              onChoose={(status) =>
                start({ kind: 'patch', patch: { status } }, `set to ${statusIn(project(), status).name}`)
              }
              {...common}
            >
              <Icon name="check" size={14} />
              Status
            </Picker>
            <Picker
              label="Assign to"
              choices={people}
              onChoose={(id) =>
                start(
                  { kind: 'patch', patch: { assigneeId: id || null } },
                  id ? `assigned to ${users.get(id)?.name ?? id}` : 'unassigned',
                )
              }
              {...common}
            >
              <Icon name="user" size={14} />
              Assignee
            </Picker>
            <Picker
              label="Set priority"
              choices={priorityChoices}
              onChoose={(priority) =>
                start({ kind: 'patch', patch: { priority } }, `${priorityNames[priority].toLowerCase()} priority`)
              }
              {...common}
            >
              <Icon name="filter" size={14} />
              Priority
            </Picker>
            <Picker
              label="Add label"
              choices={labelChoices}
              onChoose={(label) => start({ kind: 'label', label, isIn: true }, `labelled ${label}`)}
              onCreate={(text) => {
                const label = text.replaceAll(',', ' ')
                start({ kind: 'label', label, isIn: true }, `labelled ${label}`)
              }}
              {...common}
            >
              <Icon name="tag" size={14} />
              Add label
            </Picker>
            <Picker
              label="Remove label"
              choices={() => labelsIn(cards).map(labelChoice)}
              onChoose={(label) => start({ kind: 'label', label, isIn: false }, `without the label ${label}`)}
              {...common}
            >
              <Icon name="close" size={14} />
              Remove label
            </Picker>
            {projects.list.length > 1 && (
              <Picker
                label="Move to project"
                choices={projects.list.map(({ id, name, key }) => ({ value: id, label: name, hint: key }))}
                onChoose={(projectId) =>
                  start({ kind: 'move', projectId }, `moved to ${projects.get(projectId)?.name ?? projectId}`)
                }
                {...common}
              >
                <Icon name="project" size={14} />
                Project
              </Picker>
            )}
            <Button
              kind="danger"
              small
              icon="trash"
              disabled={isIdle}
              onClick={() => start({ kind: 'delete' }, 'moved to the trash')}
            >
              Delete
            </Button>
          </>
        )}
        <IconButton icon="close" label="Stop selecting" onClick={selection.end} />
      </div>
      {asked && (
        <Confirm
          title={
            asked.change.kind === 'delete'
              ? `Delete ${countOf(asked.cards.length, 'task')}?`
              : `Set ${countOf(asked.cards.length, 'task')} ${asked.what.replace(/^set /, '')}?`
          }
          action={asked.change.kind === 'delete' ? 'Delete' : 'Change'}
          isDangerous
          run={async () => void run(asked)}
          onClose={() => setAsked(null)}
        >
          <Holders held={held} of={asked.cards.length} />
          {asked.change.kind === 'delete' && <p>They can be restored from the trash.</p>}
        </Confirm>
      )}
      {refused && <RefusedDialog refused={refused} onClose={dismiss} />}
    </>
  )
}

export default BulkBar
