import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiKey } from 'worklore-client'
import { errorText } from '../api/error-text'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Failure, MissingScope, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { KeyForm } from '../keys/key-form'
import { SecretDialog } from '../keys/secret-dialog'
import { Sessions } from '../keys/sessions'
import { Page } from '../layout/page'
import { PausedBadge } from '../pauses/use-pause'
import { useConsole } from '../store/console'
import { useKeyRecords, useMe, useProjects, useUsers } from '../store/records'
import '../styles/manage.css'
import '../styles/data-table.css'

/** The old secret works beside the new one for a day. */
const overlapSeconds = 86_400

type Overlay =
  | { is: 'form'; apiKey?: ApiKey }
  | { is: 'secret'; name: string; secret: string | null }
  | { is: 'link'; name: string; link: string | null }
  | { is: 'rotate' | 'revoke'; apiKey: ApiKey }

const KeyTable = ({ onOverlay }: { onOverlay: (overlay: Overlay) => void }): ReactNode => {
  const { client, toasts } = useConsole()
  const keys = useKeyRecords()
  const projects = useProjects()
  const users = useUsers()
  const list = keys.list
  const me = useMe()
  return (
    <div className="table-wrap">
      <table className="data-table stacks">
        <thead>
          <tr>
            <th>Key</th>
            <th>Scopes</th>
            <th>Projects</th>
            <th>Last used</th>
            <th>Expires</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((key) => (
            <tr key={key.id}>
              <td>
                <Link to="/agents/$keyId" params={{ keyId: key.id }} className="row-title">
                  {key.name}
                </Link>{' '}
                {key.id === me.key.id && <span className="badge green">yours</span>} <PausedBadge paused={key.paused} />
                <div className="muted key-prefix">
                  {key.prefix ? <span className="mono">{key.prefix}…</span> : 'signs in, no secret'}
                  {key.userId && ` · ${users.get(key.userId)?.name ?? 'deleted user'}`}
                </div>
              </td>
              <td data-label="Scopes">
                <span className="badges">
                  {key.scopes.map((scope) => (
                    <span key={scope} className={scope === 'admin' ? 'badge violet' : 'badge'}>
                      {scope}
                    </span>
                  ))}
                </span>
              </td>
              <td data-label="Projects" className="muted">
                {key.projectIds === null
                  ? 'all'
                  : key.projectIds.map((id) => projects.get(id)?.key ?? 'deleted').join(', ')}
              </td>
              <td data-label="Last used" className="muted">
                {key.lastUsedAt ? <Time at={key.lastUsedAt} /> : 'never'}
              </td>
              <td data-label="Expires" className="muted">
                {key.expiresAt ? <Time at={key.expiresAt} /> : 'never'}
              </td>
              <td className="end">
                <ActionMenu
                  label={`Actions on ${key.name}`}
                  actions={[
                    {
                      value: () => onOverlay({ is: 'form', apiKey: key }),
                      label: 'Edit',
                      icon: <Icon name="edit" size={14} />,
                    },
                    {
                      value: () => {
                        client.keys.consoleLink(key.id).then(
                          ({ path }) => onOverlay({ is: 'link', name: key.name, link: path && location.origin + path }),
                          (error) => toasts.error(errorText(error)),
                        )
                      },
                      label: 'Console link',
                      icon: <Icon name="link" size={14} />,
                    },
                    {
                      value: () => onOverlay({ is: 'rotate', apiKey: key }),
                      label: 'Rotate',
                      icon: <Icon name="refresh" size={14} />,
                    },
                    {
                      value: () => onOverlay({ is: 'revoke', apiKey: key }),
                      label: 'Revoke',
                      icon: <Icon name="trash" size={14} />,
                      isDangerous: true,
                    },
                  ].filter(({ label }) => key.prefix !== '' || label === 'Revoke')}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const KeysPage = (): ReactNode => {
  const app = useConsole()
  const { client, toasts } = app
  const isAdmin = hasScope(useMe(), 'admin')
  const { isLoaded } = useKeyRecords()
  const [error, setError] = useState<unknown>()
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const close = (): void => setOverlay(null)
  useEffect(() => {
    if (isAdmin) app.keys.load().catch(setError)
  }, [app, isAdmin])
  return (
    <Page
      title="Keys"
      actions={
        isAdmin && (
          <Button kind="primary" icon="plus" onClick={() => setOverlay({ is: 'form' })}>
            New key
          </Button>
        )
      }
    >
      <div className="page-body">
        <div className="page-content">
          {!isAdmin ? (
            <MissingScope scope="admin" what="the keys" />
          ) : error ? (
            <Failure error={error} what="the keys" />
          ) : (
            <>
              {isLoaded ? <KeyTable onOverlay={setOverlay} /> : <Skeletons />}
              <section>
                <div className="section-head">
                  <h2>Console sessions</h2>
                  <span className="muted">browsers that are signed in</span>
                </div>
                <Sessions />
              </section>
            </>
          )}
        </div>
      </div>
      {overlay?.is === 'form' && (
        <KeyForm
          {...(overlay.apiKey && { apiKey: overlay.apiKey })}
          onCreated={(key) => setOverlay({ is: 'secret', name: key.name, secret: key.key })}
          onClose={close}
        />
      )}
      {overlay?.is === 'secret' && (
        <SecretDialog title={`Key ${overlay.name}`} secret={overlay.secret} onClose={close}>
          Copy the key now. It is shown this once; only a hash of it is stored.
        </SecretDialog>
      )}
      {overlay?.is === 'link' && (
        <SecretDialog title={`Console link for ${overlay.name}`} secret={overlay.link} onClose={close}>
          Opens the console with this key. It works once, for 10 minutes.
        </SecretDialog>
      )}
      {overlay?.is === 'rotate' && (
        <Confirm
          title={`Rotate ${overlay.apiKey.name}?`}
          action="Rotate"
          run={async () => {
            const rotated = await client.keys.rotate(overlay.apiKey.id, { overlapSeconds })
            setTimeout(() => setOverlay({ is: 'secret', name: rotated.name, secret: rotated.key }))
          }}
          onClose={close}
        >
          A new secret is made. The old one works for another 24 hours.
        </Confirm>
      )}
      {overlay?.is === 'revoke' && (
        <Confirm
          title={`Revoke ${overlay.apiKey.name}?`}
          action="Revoke"
          isDangerous
          run={async () => {
            await client.keys.delete(overlay.apiKey.id)
            app.keys.remove(overlay.apiKey.id)
            toasts.info(`${overlay.apiKey.name} is revoked`)
          }}
          onClose={close}
        >
          It stops working at once, its console sessions end, and the tasks it holds go back to To do.
        </Confirm>
      )}
    </Page>
  )
}
