import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { errorText } from '../api/error-text'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Confirm } from '../components/confirm'
import { Dialog } from '../components/dialog'
import { FormError } from '../components/form'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { Failure, MissingScope, Skeletons } from '../components/states'
import { SecretDialog } from '../keys/secret-dialog'
import { Page } from '../layout/page'
import { useObservable } from '../store/base/observable'
import { useConsole } from '../store/console'
import { useProjects, useUsers } from '../store/records'
import { useLoaded } from '../store/use-loaded'
import { DeliveryTable } from '../webhooks/delivery-table'
import { WebhookForm } from '../webhooks/webhook-form'
import { WebhookState } from '../webhooks/webhook-state'
import { formatNames, isChat, sentText } from '../webhooks/webhook-text'
import '../styles/manage.css'

/** Old and new secret sign side by side for a day. */
const overlapSeconds = 86_400

const ReplayDialog = ({
  webhookId,
  newest,
  onDone,
  onClose,
}: {
  webhookId: string
  newest: number
  onDone: () => void
  onClose: () => void
}): ReactNode => {
  const { client, toasts } = useConsole()
  const [from, setFrom] = useState(String(Math.max(1, newest - 100)))
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    try {
      const { fromSequence, toSequence } = await client.webhooks.replay(webhookId, { fromSequence: Number(from) })
      toasts.info(`Events ${fromSequence} to ${toSequence} are being resent`)
      onDone()
      onClose()
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Dialog title="Replay events" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <p>Sends a range of the event log again, alongside new events.</p>
          <div className="field">
            <label htmlFor="replay-from">From event #</label>
            <input
              id="replay-from"
              className="input short"
              type="number"
              min={1}
              value={from}
              required
              onChange={(event) => setFrom(event.target.value)}
            />
            <p className="field-hint">The newest event is #{newest}.</p>
          </div>
          <FormError error={error} />
        </div>
        <div className="dialog-foot">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary">
            Replay
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const WebhookView = ({ webhookId }: { webhookId: string }): ReactNode => {
  const { client, toasts, live } = useConsole()
  const projects = useProjects()
  const users = useUsers()
  const navigate = useNavigate()
  const {
    data: webhook,
    error,
    reload,
  } = useLoaded((signal) => client.webhooks.get(webhookId, { signal }), ['webhook', webhookId])
  const [overlay, setOverlay] = useState<'edit' | 'delete' | 'replay' | null>(null)
  const [secret, setSecret] = useState<{ secret: string | null } | null>(null)
  const [refresh, setRefresh] = useState(0)
  const close = (): void => setOverlay(null)

  const attempt = async (run: () => Promise<unknown>, done: string): Promise<void> => {
    try {
      await run()
      toasts.info(done)
      reload()
      setRefresh((value) => value + 1)
    } catch (cause) {
      toasts.error(errorText(cause))
    }
  }

  return (
    <Page
      title="Webhook"
      heading={
        <>
          <Link to="/webhooks" className="crumb">
            Webhooks
          </Link>
          <span className="crumb">/</span>
          <span className="truncate">{webhook?.url ?? webhookId}</span>
        </>
      }
      actions={
        webhook && (
          <>
            <Button
              icon="send"
              onClick={() => void attempt(() => client.webhooks.ping(webhookId), 'Test sent')}
              aria-label="Send a test"
            >
              <span className="desktop-only">Send a test</span>
            </Button>
            <ActionMenu
              label="Actions on the webhook"
              actions={[
                { value: () => setOverlay('edit'), label: 'Edit', icon: <Icon name="edit" size={14} /> },
                { value: () => setOverlay('replay'), label: 'Replay from #…', icon: <Icon name="history" size={14} /> },
                // A chat verifies no signatures.
                ...(isChat(webhook.format)
                  ? []
                  : [
                      {
                        value: () => {
                          client.webhooks.rotateSecret(webhookId, { overlapSeconds }).then(
                            (rotated) => setSecret({ secret: rotated.secret }),
                            (cause) => toasts.error(errorText(cause)),
                          )
                        },
                        label: 'Rotate the secret',
                        icon: <Icon name="refresh" size={14} />,
                      },
                    ]),
                {
                  value: () =>
                    void attempt(
                      () => client.webhooks.update(webhookId, { active: !webhook.active }),
                      webhook.active ? 'The webhook is off' : 'The webhook is on',
                    ),
                  label: webhook.active ? 'Turn off' : 'Turn on',
                  icon: <Icon name={webhook.active ? 'pause' : 'play'} size={14} />,
                },
                {
                  value: () => setOverlay('delete'),
                  label: 'Delete',
                  icon: <Icon name="trash" size={14} />,
                  isDangerous: true,
                },
              ]}
            />
          </>
        )
      }
    >
      <div className="page-body">
        <div className="page-content">
          {error && !webhook ? (
            <Failure error={error} what="the webhook" onRetry={reload} />
          ) : !webhook ? (
            <Skeletons />
          ) : (
            <>
              {webhook.disabledReason && (
                <div className="notice red" role="alert">
                  <Icon name="alert" />
                  <span>The service turned this webhook off: {webhook.disabledReason}</span>
                  <Button
                    small
                    onClick={() =>
                      void attempt(() => client.webhooks.update(webhookId, { active: true }), 'The webhook is on')
                    }
                  >
                    Turn on
                  </Button>
                </div>
              )}
              <dl className="facts">
                <div>
                  <dt>State</dt>
                  <dd>
                    <WebhookState webhook={webhook} />
                  </dd>
                </div>
                <div>
                  <dt>Sends</dt>
                  <dd>{sentText(webhook, (id) => users.get(id)?.name)}</dd>
                </div>
                <div>
                  <dt>Format</dt>
                  <dd>{formatNames[webhook.format]}</dd>
                </div>
                <div>
                  <dt>Project</dt>
                  <dd>{webhook.projectId ? (projects.get(webhook.projectId)?.name ?? 'deleted') : 'All'}</dd>
                </div>
                <div>
                  <dt>Position</dt>
                  <dd className="num">#{webhook.position}</dd>
                </div>
                {webhook.replay && (
                  <div>
                    <dt>Replay</dt>
                    <dd className="num">
                      #{webhook.replay.position} of #{webhook.replay.toSequence}
                    </dd>
                  </div>
                )}
                {webhook.description && (
                  <div>
                    <dt>Description</dt>
                    <dd>{webhook.description}</dd>
                  </div>
                )}
              </dl>
              <DeliveryTable webhookId={webhookId} refresh={refresh} />
            </>
          )}
        </div>
      </div>
      {overlay === 'edit' && webhook && (
        <WebhookForm
          webhook={webhook}
          onSaved={() => {
            toasts.info('The webhook is saved')
            reload()
            close()
          }}
          onClose={close}
        />
      )}
      {overlay === 'replay' && (
        <ReplayDialog
          webhookId={webhookId}
          newest={live.position()}
          onDone={() => setRefresh((value) => value + 1)}
          onClose={close}
        />
      )}
      {overlay === 'delete' && (
        <Confirm
          title="Delete this webhook?"
          action="Delete"
          isDangerous
          run={async () => {
            await client.webhooks.delete(webhookId)
            toasts.info('The webhook is deleted')
            void navigate({ to: '/webhooks' })
          }}
          onClose={close}
        >
          Its deliveries are deleted with it, and nothing more is sent.
        </Confirm>
      )}
      {secret && (
        <SecretDialog title="New signing secret" secret={secret.secret} onClose={() => setSecret(null)}>
          Shown this once. The old secret also signs for another 24 hours.
        </SecretDialog>
      )}
    </Page>
  )
}

export const WebhookPage = (): ReactNode => {
  const { me } = useConsole()
  const { webhookId } = useParams({ strict: false }) as { webhookId: string }
  if (hasScope(useObservable(me), 'admin')) return <WebhookView webhookId={webhookId} />
  return (
    <Page title="Webhook">
      <MissingScope scope="admin" what="the webhook" />
    </Page>
  )
}
