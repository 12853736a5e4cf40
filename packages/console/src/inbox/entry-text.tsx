import type { ReactNode } from 'react'
import type { InboxEntry } from 'worklore-client'
import { actorOf } from '../api/actor'
import type { IconName } from '../components/icons'
import { useUsers } from '../store/records'

/** Entries that the service makes by itself. */
const sentences = {
  exhausted: 'All attempts are used up',
  stale: 'It relied on knowledge that no longer holds',
}

type OwnKind = keyof typeof sentences
type Kind = InboxEntry['kind'] | OwnKind

export const entryIcons: Record<Kind, IconName> = {
  question: 'help',
  answer: 'comment',
  mention: 'comment',
  assigned: 'user',
  exhausted: 'refresh',
  stale: 'alert',
}

const verbs: Record<Exclude<Kind, OwnKind>, string> = {
  question: 'asked you',
  answer: 'answered',
  mention: 'mentioned you',
  assigned: 'assigned it to you',
}

const isOwn = (kind: Kind): kind is OwnKind => kind in sentences

/** `Ada mentioned you` */
export const EntryText = ({ entry }: { entry: InboxEntry }): ReactNode => {
  const users = useUsers()
  const kind: Kind = entry.kind
  if (isOwn(kind)) return sentences[kind]
  return `${actorOf(users, entry.by).name} ${verbs[kind]}`
}
