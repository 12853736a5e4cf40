import type { ReactNode } from 'react'
import { exactTime } from '../components/time'

const dayMs = 86_400_000

export const DueDate = ({ at, isOpen }: { at: string; isOpen: boolean }): ReactNode => {
  const isDate = at.length === 10
  const dueMs = isDate ? Date.parse(`${at}T23:59:59`) : Date.parse(at)
  const leftMs = dueMs - Date.now()
  const tone = !isOpen ? '' : leftMs < 0 ? 'red' : leftMs < 2 * dayMs ? 'amber' : ''
  const text = new Date(dueMs).toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
  return (
    <span className={`fact ${tone}`} title={`Due ${isDate ? at : exactTime(at)}`}>
      {leftMs < 0 && isOpen ? `overdue ${text}` : text}
    </span>
  )
}
