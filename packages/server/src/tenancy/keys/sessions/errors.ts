import { AppError } from '../../../base/errors.js'
import type { Actor } from '../../../operations/actor.js'

export const sessionEnded = (): AppError =>
  new AppError('UNAUTHORIZED', 'This session is unknown or has ended. Sign in again.', { reason: 'invalid' })

export const linkEnded = (): AppError =>
  new AppError(
    'UNAUTHORIZED',
    'This link is unknown, used or expired. Get a new one with "npx worklore console", or sign in with an API key.',
    { reason: 'invalid' },
  )

export const otherSession = (present: Actor, next: Actor): AppError => {
  const tenant = present.tenantId === next.tenantId ? '' : ' of another tenant'
  return new AppError(
    'CONFLICT',
    `You are signed in as "${present.keyName}". This link signs you in as "${next.keyName}"${tenant}.`,
    { reason: 'session', hint: 'Send replace: true to sign in with the link.' },
  )
}
