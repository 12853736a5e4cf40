import type { ReactNode } from 'react'
import type { AuditEntry } from 'worklore-client'
import { hasScope } from '../api/permissions'
import { AuditLine } from '../audit/audit-line'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import { Picker } from '../components/menu'
import { Empty, Failure, MissingScope, Skeletons } from '../components/states'
import { narrow, useMedia } from '../components/use-media'
import { VirtualRows } from '../components/virtual/virtual-rows'
import { ActorFilter, TimeFilter, useActors } from '../events/log-filters'
import { Page } from '../layout/page'
import { usePages } from '../lifecycle/use-pages'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useMe } from '../store/records'
import '../styles/events.css'
import '../styles/log.css'

const kinds: [kind: string, name: string][] = [
  ['', 'Any kind'],
  ['auth.*', 'Failed sign-ins and keys'],
  ['scope.*', 'Missing scopes'],
  ['key.*', 'Keys'],
  ['session.*', 'Console sessions'],
  ['user.*', 'People'],
  ['member.*', 'Members of projects'],
  ['project.*', 'Visibility of projects'],
  ['webhook.*', 'Webhooks'],
  ['check.*', 'Waived checks'],
  ['undo.*', 'Undo'],
  ['history.*', 'Restored versions'],
  ['trash.*', 'Trash'],
  ['plan.*', 'Plan'],
  ['tenant.*', 'Tenant'],
  ['store.*', 'Restored backups'],
]

const results: [result: 'done' | 'refused' | undefined, name: string][] = [
  [undefined, 'All'],
  ['done', 'Done'],
  ['refused', 'Refused'],
]

const entriesPerPage = 100
const rowPx = 36
/** With the details on a second line. */
const narrowRowPx = 60

const AuditLog = (): ReactNode => {
  const { client } = useConsole()
  const query = useQuery()
  const setQuery = useSetQuery()
  const isNarrow = useMedia(narrow)
  const actors = useActors()
  const { kind, actor, since, until } = query
  const result = results.find(([each]) => each === query.result)?.[0]
  const kindName = kinds.find(([each]) => each === kind)?.[1] ?? kind
  const { records, hasMore, error, reload, more, isLoadingMore } = usePages<AuditEntry>(
    (cursor, signal) =>
      client.audit.list(
        { action: kind, keyId: actor, result, since, until, cursor, limit: entriesPerPage },
        { signal },
      ),
    [kind, actor, result, since, until],
  )
  return (
    <Page
      title="Audit"
      actions={
        <Button icon="refresh" onClick={reload} aria-label="Refresh">
          <span className="desktop-only">Refresh</span>
        </Button>
      }
      toolbar={
        <>
          <Picker
            label="Kind"
            className="bordered"
            isSet={kind !== undefined}
            choices={kinds.map(([value, label]) => ({ value, label }))}
            selected={[kind ?? '']}
            onChoose={(value) => setQuery({ kind: value || undefined }, { replace: true })}
          >
            <Icon name="filter" size={14} />
            {kind ? kindName : 'Kind'}
          </Picker>
          <ActorFilter actors={actors} {...(actor && { name: actors.get(actor)?.name ?? actor })} />
          <div className="segmented" role="group" aria-label="Result">
            {results.map(([each, name]) => (
              <button
                key={name}
                type="button"
                aria-pressed={result === each}
                onClick={() => setQuery({ result: each }, { replace: true })}
              >
                {name}
              </button>
            ))}
          </div>
          <TimeFilter />
        </>
      }
    >
      {error ? (
        <Failure error={error} what="the audit log" onRetry={reload} />
      ) : !records ? (
        <div className="page-content">
          <Skeletons />
        </div>
      ) : records.length === 0 ? (
        <Empty icon="history" title="No entries">
          <p>Refusals, and actions on keys, people, webhooks and the store, are kept here for a year.</p>
        </Empty>
      ) : (
        <VirtualRows
          label="Audit entries, newest first"
          rows={hasMore ? [...records, null] : records}
          keyOf={(entry) => entry?.id ?? 'more'}
          rowPx={isNarrow ? narrowRowPx : rowPx}
          selected={null}
          className="events"
        >
          {(entry) =>
            entry ? (
              <AuditLine entry={entry} />
            ) : (
              <div className="event-line">
                <Button kind="quiet" small disabled={isLoadingMore} onClick={() => void more()}>
                  Show older entries
                </Button>
              </div>
            )
          }
        </VirtualRows>
      )}
    </Page>
  )
}

export const AuditPage = (): ReactNode => {
  if (hasScope(useMe(), 'admin')) return <AuditLog />
  return (
    <Page title="Audit">
      <MissingScope scope="admin" what="the audit log" />
    </Page>
  )
}
