import { Fragment, type ReactNode, useEffect, useState } from 'react'
import type { WebhookDelivery } from 'worklore-client'
import { errorText } from '../api/error-text'
import { Button, IconButton } from '../components/button'
import { Empty, Failure, Skeletons } from '../components/states'
import { Time } from '../components/time'
import { useQuery, useSetQuery } from '../query'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'
import '../styles/data-table.css'

const rereadEveryMs = 4_000
const tones = { succeeded: 'green', failed: 'red', retrying: 'amber', pending: '' }
const filters = ['all', 'succeeded', 'retrying', 'failed', 'pending'] as const

const Details = ({ delivery }: { delivery: WebhookDelivery }): ReactNode => (
  <dl className="facts">
    <div>
      <dt>Message id</dt>
      <dd className="mono">{delivery.eventId}</dd>
    </div>
    <div>
      <dt>Reason</dt>
      <dd>{delivery.reason}</dd>
    </div>
    {delivery.error && (
      <div>
        <dt>Error</dt>
        <dd>{delivery.error}</dd>
      </div>
    )}
    {delivery.nextAttemptAt && (
      <div>
        <dt>Next attempt</dt>
        <dd>
          <Time at={delivery.nextAttemptAt} />
        </dd>
      </div>
    )}
    {delivery.responseBody && (
      <div>
        <dt>Response</dt>
        <dd className="mono">{delivery.responseBody}</dd>
      </div>
    )}
  </dl>
)

export const DeliveryTable = ({ webhookId, refresh }: { webhookId: string; refresh: number }): ReactNode => {
  const { client, toasts } = useConsole()
  const { status } = useQuery()
  const setQuery = useSetQuery()
  const [open, setOpen] = useState<string | null>(null)
  const wanted = filters.find((each) => each === status && each !== 'all') as WebhookDelivery['status'] | undefined
  const { data, error, reload } = useLoaded(
    async (signal) => (await client.webhooks.deliveries(webhookId, { limit: 100, status: wanted }, { signal })).data,
    ['deliveries', webhookId, wanted, refresh],
  )
  useEffect(() => {
    const timer = setInterval(reload, rereadEveryMs)
    return () => clearInterval(timer)
  }, [reload])

  const resend = (delivery: WebhookDelivery): void => {
    client.webhooks.redeliver(webhookId, delivery.id).then(
      () => {
        toasts.info('Resent')
        reload()
      },
      (cause) => toasts.error(errorText(cause)),
    )
  }

  return (
    <section aria-labelledby="deliveries">
      <div className="section-head">
        <h2 id="deliveries">Deliveries</h2>
        <div className="segmented">
          {filters.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={(wanted ?? 'all') === each}
              onClick={() => setQuery({ status: each === 'all' ? undefined : each }, { replace: true })}
            >
              {each}
            </button>
          ))}
        </div>
      </div>
      {error && !data ? (
        <Failure error={error} what="the deliveries" onRetry={reload} />
      ) : !data ? (
        <Skeletons />
      ) : data.length === 0 ? (
        <Empty icon="send" title="No deliveries">
          <p>Send a test, or change something.</p>
        </Empty>
      ) : (
        <div className="table-wrap">
          <table className="data-table stacks">
            <thead>
              <tr>
                <th>Event</th>
                <th>Status</th>
                <th>Response</th>
                <th>Attempts</th>
                <th>When</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((delivery) => (
                <Fragment key={delivery.id}>
                  <tr>
                    <td>
                      <span className="cell-flex">
                        <IconButton
                          icon={open === delivery.id ? 'down' : 'chevron'}
                          label={`Details of ${delivery.type}`}
                          aria-expanded={open === delivery.id}
                          onClick={() => setOpen(open === delivery.id ? null : delivery.id)}
                        />
                        {delivery.type}{' '}
                        {delivery.sequence !== null && <span className="muted num">#{delivery.sequence}</span>}
                      </span>
                    </td>
                    <td data-label="Status">
                      <span className={`badge ${tones[delivery.status]}`}>{delivery.status}</span>
                    </td>
                    <td data-label="Response" className="muted num">
                      {delivery.responseStatus ?? '–'}
                      {delivery.durationMs !== null && ` · ${delivery.durationMs} ms`}
                    </td>
                    <td data-label="Attempts" className="muted num">
                      {delivery.attempts}
                    </td>
                    <td data-label="When" className="muted">
                      <Time at={delivery.createdAt} />
                    </td>
                    <td className="end">
                      <Button
                        small
                        onClick={() => resend(delivery)}
                        aria-label={`Resend ${delivery.type} ${delivery.sequence ?? ''}`}
                      >
                        Resend
                      </Button>
                    </td>
                  </tr>
                  {open === delivery.id && (
                    <tr>
                      <td colSpan={6}>
                        <Details delivery={delivery} />
                      </td>
                    </tr>
                  )}
                </Fragment>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
