import type { ReactNode } from 'react'
import type { Webhook } from 'worklore-client'
import { durationText, exactTime, useNow } from '../components/time'

export const WebhookState = ({ webhook }: { webhook: Webhook }): ReactNode => {
  const nowMs = useNow()
  if (webhook.disabledReason) return <span className="badge red">disabled</span>
  if (!webhook.active) return <span className="badge">off</span>
  if (webhook.failingSince) {
    return (
      <span className="badge amber" title={exactTime(webhook.failingSince)}>
        failing for {durationText(nowMs - Date.parse(webhook.failingSince))}
      </span>
    )
  }
  return <span className="badge green">ok</span>
}
