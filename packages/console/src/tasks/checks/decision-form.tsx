import { type ReactNode, useState } from 'react'
import type { Check } from 'worklore-client'
import { useKept } from '../../store/use-kept'
import { Composer } from '../composer'
import type { CheckState } from './check-names'

type Decided = Exclude<CheckState, 'open'>

const actions: Record<Decided, string> = { passed: 'Pass', failed: 'Fail', waived: 'Waive' }
const labels: Record<Decided, string> = {
  passed: 'What shows that it holds',
  failed: 'What shows that it does not hold',
  waived: 'Why it need not hold',
}

interface DecisionFormProps {
  taskId: string
  check: Check
  state: Decided
  onDecide: (state: CheckState, evidence: string) => Promise<boolean>
  onClose: () => void
}

/** Asks for the evidence of a decision. */
export const DecisionForm = ({ taskId, check, state, onDecide, onClose }: DecisionFormProps): ReactNode => {
  const evidence = useKept(`evidence.${taskId}.${check.id}`, '', (text) => text.trim() !== '')
  const [isSending, setIsSending] = useState(false)
  const send = async (): Promise<void> => {
    setIsSending(true)
    if (await onDecide(state, evidence.value)) {
      evidence.clear()
      onClose()
    } else setIsSending(false)
  }
  return (
    <Composer
      label={labels[state]}
      text={evidence.value}
      onText={evidence.set}
      action={actions[state]}
      isSending={isSending}
      isFocused
      onSend={() => void send()}
      onCancel={onClose}
      onEscape={onClose}
    />
  )
}
