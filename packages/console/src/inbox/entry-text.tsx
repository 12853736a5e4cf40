import type { ReactNode } from 'react'
import type { InboxEntry } from 'worklore-client'
import type { IconName } from '../components/icons'
import { useConsole } from '../store/console'

export const entryIcons: Record<InboxEntry['kind'], IconName> = {
  question: 'help',
  answer: 'comment',
  mention: 'comment',
  assigned: 'user',
  exhausted: 'refresh',
  stale: 'alert',
}

const verbs: Record<InboxEntry['kind'], string> = {
  question: 'asked you',
  answer: 'answered',
  mention: 'mentioned you',
  assigned: 'assigned it to you',
  exhausted: 'All attempts are used up',
  stale: 'Relied on knowledge that no longer holds',
}

/** `Ada mentioned you` */
export const EntryText = ({ entry: { kind, by } }: { entry: InboxEntry }): ReactNode => {
  const { users } = useConsole()
  if (kind === 'exhausted' || kind === 'stale') return verbs[kind]
  return `${users.get(by.userId ?? '')?.name ?? by.keyName} ${verbs[kind]}`
}
