import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { withTask } from '../query'

const taskId = /\b([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})\b/

/** Text in which task ids are links. */
export const TaskLinkedText = ({ text }: { text: string }): ReactNode => {
  const parts = text.split(taskId)
  if (parts.length === 1) return text
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <Link key={index} to="." search={withTask(part)}>
        {part}
      </Link>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
      <Fragment key={index}>{part}</Fragment>
    ),
  )
}
