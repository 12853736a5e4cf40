import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Check } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { Button, Kbd } from '../../components/button'
import { Icon } from '../../components/icons'
import { ActionMenu, type Choice } from '../../components/menu'
import { Time } from '../../components/time'
import { Markdown } from '../../markdown/markdown'
import { useUsers } from '../../store/records'
import { CheckForm } from './check-form'
import { type CheckState, type Verifier, verifierNames } from './check-names'
import { DecisionForm } from './decision-form'

const Mark = ({ state }: { state: CheckState }): ReactNode => (
  <span className="check-mark" data-state={state} role="img" aria-label={state}>
    {state === 'passed' && <Icon name="check" size={12} />}
    {state === 'failed' && <Icon name="close" size={12} />}
  </span>
)

const Decision = ({ check: { state, by, at } }: { check: Check }): ReactNode => {
  const users = useUsers()
  return (
    by &&
    at && (
      <span className="muted check-who">
        {state} by {actorOf(users, by).name}, <Time at={at} />
      </span>
    )
  )
}

const deciders = { human: 'Only a person can decide it', other: 'Only someone who did not work on it can decide it' }

const decisions: [state: Exclude<CheckState, 'open'>, name: string, key: string][] = [
  ['passed', 'Pass', 'p'],
  ['failed', 'Fail', 'f'],
  ['waived', 'Waive', 'w'],
]

interface CheckRights {
  canDecide: boolean
  canWaive: boolean
  canReplace: boolean
}

interface CheckItemProps extends CheckRights {
  taskId: string
  check: Check
  /** The keys decide this one. */
  hasKeys: boolean
  /** Being decided with this state. */
  deciding: Exclude<CheckState, 'open'> | null
  setDeciding: (state: Exclude<CheckState, 'open'> | null) => void
  /** Resolves with whether the service accepted it. */
  onDecide: (state: CheckState, evidence?: string) => Promise<boolean>
  onReplace: (text: string, verifier: Verifier) => void
  onRemove: () => void
}

export const CheckItem = (props: CheckItemProps): ReactNode => {
  const { taskId, check, hasKeys, deciding, setDeciding, onDecide, onReplace, onRemove } = props
  const { canDecide, canWaive, canReplace } = props
  const [isEditing, setIsEditing] = useState(false)
  const item = useRef<HTMLLIElement>(null)
  const wasDeciding = useRef(false)
  useEffect(() => {
    // The form had the focus.
    if (wasDeciding.current && !deciding) item.current?.focus({ preventScroll: true })
    wasDeciding.current = deciding !== null
  }, [deciding])

  const possible = decisions.filter(
    ([state]) => state !== check.state && (state === 'waived' ? canWaive : canDecide && check.state !== 'waived'),
  )
  const isUndecided = check.state === 'open' || check.state === 'failed'
  const actions: Choice<() => void>[] = [
    ...(check.state !== 'open' && canDecide ? [{ value: () => void onDecide('open'), label: 'Reopen' }] : []),
    ...(canReplace
      ? [
          { value: () => setIsEditing(true), label: 'Edit' },
          { value: onRemove, label: 'Remove', isDangerous: true },
        ]
      : []),
  ]

  if (isEditing) {
    return (
      <li className="task-check">
        <CheckForm check={check} onSave={onReplace} onClose={() => setIsEditing(false)} />
      </li>
    )
  }
  return (
    <li ref={item} className="task-check" tabIndex={-1} data-check={check.id} data-current={hasKeys}>
      <Mark state={check.state} />
      <div className="task-check-main">
        <div className="task-check-line">
          <span className="task-check-text">{check.text}</span>
          {check.verifier !== 'anyone' && (
            <span className="badge" title={deciders[check.verifier]}>
              {verifierNames[check.verifier].toLowerCase()}
            </span>
          )}
          <Decision check={check} />
        </div>
        {check.evidence !== null && (
          <div className="check-evidence">
            <Markdown text={check.evidence} />
          </div>
        )}
        {deciding ? (
          <DecisionForm
            taskId={taskId}
            check={check}
            state={deciding}
            onDecide={onDecide}
            onClose={() => setDeciding(null)}
          />
        ) : (
          isUndecided &&
          possible.length > 0 && (
            <div className="check-actions">
              {possible.map(([state, name, key]) => (
                <Button key={state} small onClick={() => setDeciding(state)}>
                  {name}
                  <span className="visually-hidden">{check.text}</span>
                  {hasKeys && <Kbd>{key}</Kbd>}
                </Button>
              ))}
            </div>
          )
        )}
      </div>
      <ActionMenu label={`Actions on the check “${check.text}”`} actions={actions} />
    </li>
  )
}
