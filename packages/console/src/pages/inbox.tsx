import { type ReactNode, useState } from 'react'
import type { InboxEntry } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Failure, MissingScope, Skeletons } from '../components/states'
import { NeedsYou } from '../inbox/needs-you'
import { notificationChoice, setNotifications } from '../inbox/notifications'
import { EntryRow } from '../inbox/row-view'
import { Page } from '../layout/page'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'

const readShown = 50

/** Entries that were read, the newest first. */
const ReadEntries = (): ReactNode => {
  const { client } = useConsole()
  const { data, error, reload } = useLoaded(
    async (signal) => {
      const read: InboxEntry[] = []
      for await (const entry of client.inbox.list({ state: 'all', limit: 100 }, { signal })) {
        if (entry.readAt !== null) read.push(entry)
        if (read.length === readShown) break
      }
      return read
    },
    ['read entries'],
  )
  if (error) return <Failure error={error} what="what was read" onRetry={reload} />
  if (!data) return <Skeletons count={3} />
  if (data.length === 0) return <p className="muted">Nothing was read yet.</p>
  return (
    <ul className="rows needs read">
      {data.map((entry) => (
        <li key={entry.id} className="row need">
          <EntryRow entry={entry} />
        </li>
      ))}
    </ul>
  )
}

/** Lets the browser tell of what is new while this page is hidden. */
const NotificationButton = (): ReactNode => {
  const choice = useObservable(notificationChoice)
  if (choice === 'unsupported') return null
  const isOn = choice === 'on'
  return (
    <Button
      icon={isOn ? 'check' : 'inbox'}
      disabled={choice === 'blocked'}
      aria-pressed={isOn}
      aria-label="Notifications"
      title={choice === 'blocked' ? 'Blocked in this browser' : 'Of the desktop, while the console is hidden'}
      onClick={() => void setNotifications(!isOn)}
    >
      <span className="desktop-only">Notifications</span>
    </Button>
  )
}

const Inbox = (): ReactNode => {
  const [showsRead, setShowsRead] = useState(false)
  return (
    <div className="page-body">
      <div className="page-content narrow">
        <NeedsYou />
        <section aria-label="Read">
          <Button kind="quiet" small aria-expanded={showsRead} onClick={() => setShowsRead((value) => !value)}>
            {showsRead ? 'Hide what was read' : 'Show what was read'}
          </Button>
          {showsRead && <ReadEntries />}
        </section>
      </div>
    </div>
  )
}

export const InboxPage = (): ReactNode => {
  const { me } = useConsole()
  const canSee = hasScope(useObservable(me), 'tasks:read')
  return (
    <Page title="Needs you" actions={canSee && <NotificationButton />}>
      {canSee ? <Inbox /> : <MissingScope scope="tasks:read" what="tasks" />}
    </Page>
  )
}
