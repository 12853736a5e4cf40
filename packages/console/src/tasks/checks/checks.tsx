import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Check, Task } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { hasScope } from '../../api/permissions'
import { IconButton } from '../../components/button'
import { countOf } from '../../components/count'
import { Icon } from '../../components/icons'
import { useKeys } from '../../keyboard/use-keys'
import { editList } from '../../store/cards/edit-list'
import { isOpen } from '../../store/cards/task-card'
import { useConsole } from '../../store/console'
import { useMe } from '../../store/records'
import { newRequestId, undoOf } from '../../undo/undo-request'
import { CheckForm } from './check-form'
import { CheckItem } from './check-item'
import { type CheckState, isMet, type Verifier } from './check-names'
import { mayDecide, mayReplace, mayWaive } from './rights'
import '../../styles/checks.css'

type Wanted = Pick<Check, 'text' | 'verifier'> & { id?: string }

const wantedOf = ({ id, text, verifier }: Check): Wanted => ({ id, text, verifier })

/** Decides and edits the checks of a task; says why where the service refuses. */
const useCheckActions = (task: Task, accept: (task: Task) => void) => {
  const app = useConsole()
  const { client, toasts, undo } = app
  const orExplain = async (changed: Promise<Task>, what: string): Promise<boolean> => {
    try {
      accept(await changed)
      return true
    } catch (error) {
      toasts.error(`${what} ${errorText(error)}`)
      return false
    }
  }
  return {
    decide: async (check: Check, state: CheckState, evidence?: string): Promise<boolean> => {
      const requestId = newRequestId()
      const decision = { state, ...(evidence && { evidence }) }
      const decided = client.tasks.decideCheck(task.id, check.id, decision, { requestId })
      const isDone = await orExplain(decided, `“${check.text}” was not decided.`)
      if (isDone) undo.push(undoOf(app, `“${check.text}” ${state === 'open' ? 'reopened' : state}`, requestId))
      return isDone
    },
    edit: (change: (checks: readonly Check[]) => Wanted[]): Promise<boolean> =>
      orExplain(
        editList(task, {
          read: () => client.tasks.get(task.id),
          write: ({ checks, version }) =>
            client.tasks.update(task.id, { checks: change(checks) }, { ifMatch: version }),
        }),
        'The checks were not changed.',
      ),
  }
}

/** `1 check is open and 1 failed` */
const missingText = (checks: readonly Check[]): string => {
  const open = checks.filter(({ state }) => state === 'open').length
  const failed = checks.filter(({ state }) => state === 'failed').length
  const parts = [
    ...(open > 0 ? [`${countOf(open, 'check')} ${open === 1 ? 'is' : 'are'} open`] : []),
    ...(failed > 0 ? [open > 0 ? `${failed} failed` : `${countOf(failed, 'check')} failed`] : []),
  ]
  return parts.join(' and ')
}

interface ChecksProps {
  task: Task
  accept: (task: Task) => void
  /** Setting the task to done was refused. */
  isRefused?: boolean
  /** The keys p, f and w decide the first check that is left. */
  hasKeys?: boolean
  /** Only to decide, not to edit. */
  isBrief?: boolean
}

/** What must hold before the task is done. */
export const Checks = ({ task, accept, isRefused, hasKeys = true, isBrief = false }: ChecksProps): ReactNode => {
  const me = useMe()
  const [deciding, setDeciding] = useState<{ id: string; state: Exclude<CheckState, 'open'> } | null>(null)
  const [isAdding, setIsAdding] = useState(false)
  const { decide, edit } = useCheckActions(task, accept)
  const { checks } = task
  const canWrite = hasScope(me, 'tasks:write')
  const canChange = canWrite && isOpen(task.statusCategory)
  const canWaive = canChange && mayWaive(me)
  const decidable = checks.filter((check) => canChange && !isMet(check) && (mayDecide(me, check) || canWaive))
  const current = decidable.find(({ state }) => state === 'open') ?? decidable[0]
  const start = (state: Exclude<CheckState, 'open'>) => (): void => {
    if (current && (state === 'waived' ? canWaive : mayDecide(me, current))) setDeciding({ id: current.id, state })
  }
  const missing = checks.filter((check) => !isMet(check))
  // Once a check is met, the keys decide the next one, also while its form still closes.
  const isDeciding = missing.some(({ id }) => id === deciding?.id)
  useKeys(
    { p: start('passed'), f: start('failed'), w: start('waived') },
    hasKeys && current !== undefined && !isDeciding,
  )

  const refusal = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isRefused) refusal.current?.scrollIntoView({ block: 'nearest' })
  }, [isRefused])

  if (checks.length === 0 && !canChange) return null
  const replace = (id: string, text: string, verifier: Verifier): Promise<boolean> =>
    edit((list) => list.map((check) => (check.id === id ? { id, text, verifier } : wantedOf(check))))
  return (
    <section className="links" aria-label="Checks">
      {!isBrief && (
        <div className="links-head">
          <h3>Checks</h3>
          {checks.length > 0 && (
            <span className="muted num">
              {checks.length - missing.length} of {checks.length} met
            </span>
          )}
          {canChange && <IconButton icon="plus" label="Add a check" onClick={() => setIsAdding(true)} />}
        </div>
      )}
      {isRefused && missing.length > 0 && (
        <div ref={refusal} className="notice red" role="alert">
          <Icon name="alert" />
          <span>
            {task.id} cannot be done yet: {missingText(missing)}.
          </span>
        </div>
      )}
      {checks.length > 0 && (
        <ul className="task-checks">
          {(isBrief ? missing : checks).map((check) => (
            <CheckItem
              key={check.id}
              taskId={task.id}
              check={check}
              hasKeys={hasKeys && check.id === current?.id}
              canDecide={canChange && mayDecide(me, check)}
              canWaive={canWaive}
              canReplace={!isBrief && canChange && mayReplace(me, task)}
              deciding={deciding?.id === check.id ? deciding.state : null}
              setDeciding={(state) => setDeciding(state && { id: check.id, state })}
              onDecide={(state, evidence) => decide(check, state, evidence)}
              onReplace={(text, verifier) => void replace(check.id, text, verifier)}
              onRemove={() => void edit((list) => list.filter(({ id }) => id !== check.id).map(wantedOf))}
            />
          ))}
        </ul>
      )}
      {isAdding && (
        <CheckForm
          onSave={(text, verifier) => void edit((list) => [...list.map(wantedOf), { text, verifier }])}
          onClose={() => setIsAdding(false)}
        />
      )}
    </section>
  )
}
