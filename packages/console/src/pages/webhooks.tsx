import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Empty, Failure, MissingScope, Skeletons } from '../components/states'
import { SecretDialog } from '../keys/secret-dialog'
import { Page } from '../layout/page'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useProjects, useUsers } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { WebhookForm } from '../webhooks/webhook-form'
import { WebhookState } from '../webhooks/webhook-state'
import { isChat, sentText } from '../webhooks/webhook-text'
import '../styles/manage.css'
import '../styles/data-table.css'

const Webhooks = (): ReactNode => {
  const { client, onEvent } = useConsole()
  const projects = useProjects()
  const users = useUsers()
  const navigate = useNavigate()
  const { data, error, reload } = useLoaded(
    async (signal) => (await client.webhooks.list({ limit: 100 }, { signal })).data,
    ['webhooks'],
  )
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<{ id: string; secret: string | null } | null>(null)
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type.startsWith('webhook.')) reload()
      }),
    [onEvent, reload],
  )
  return (
    <Page
      title="Webhooks"
      actions={
        <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
          New webhook
        </Button>
      }
    >
      <div className="page-body">
        <div className="page-content">
          {error && !data ? (
            <Failure error={error} what="the webhooks" onRetry={reload} />
          ) : !data ? (
            <Skeletons />
          ) : data.length === 0 ? (
            <Empty icon="webhook" title="No webhooks yet">
              <p>
                A webhook sends each change to your own service, signed, in order, with retries, or what needs people to
                their chat.
              </p>
              <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
                Create a webhook
              </Button>
            </Empty>
          ) : (
            <div className="table-wrap">
              <table className="data-table stacks">
                <thead>
                  <tr>
                    <th>Webhook</th>
                    <th>State</th>
                    <th>Events</th>
                    <th>Project</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((webhook) => (
                    <tr key={webhook.id}>
                      <td>
                        <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} className="row-title">
                          {webhook.url}
                        </Link>
                        {webhook.description && <div className="muted key-prefix">{webhook.description}</div>}
                      </td>
                      <td data-label="State">
                        <WebhookState webhook={webhook} />
                      </td>
                      <td data-label="Events" className="muted">
                        {sentText(webhook, (id) => users.get(id)?.name)}
                      </td>
                      <td data-label="Project" className="muted">
                        {webhook.projectId ? (projects.get(webhook.projectId)?.key ?? 'deleted') : 'all'}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </div>
      </div>
      {isCreating && (
        <WebhookForm
          onSaved={({ id, format }, secret) => {
            setIsCreating(false)
            // A chat verifies no signatures.
            if (isChat(format)) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: id } as never })
            else setCreated({ id, secret: secret ?? null })
            reload()
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {created && (
        <SecretDialog
          title="Signing secret"
          secret={created.secret}
          onClose={() => void navigate({ to: '/webhooks/$webhookId', params: { webhookId: created.id } as never })}
        >
          Verify deliveries with this secret. It is shown this once.
        </SecretDialog>
      )}
    </Page>
  )
}

export const WebhooksPage = (): ReactNode => {
  const { me } = useConsole()
  if (hasScope(useObservable(me), 'admin')) return <Webhooks />
  return (
    <Page title="Webhooks">
      <MissingScope scope="admin" what="the webhooks" />
    </Page>
  )
}
