import type { ReactNode } from 'react'
import type { Webhook } from 'worklore-client'
import { Time } from '../components/time'

export const WebhookState = ({ webhook }: { webhook: Webhook }): ReactNode => {
  if (webhook.disabledReason) return <span className="badge red">disabled</span>
  if (!webhook.active) return <span className="badge">off</span>
  if (webhook.failingSince) {
    return (
      <span className="badge amber">
        failing since <Time at={webhook.failingSince} short />
      </span>
    )
  }
  return <span className="badge green">ok</span>
}
