import { AppError } from '../../../base/errors.js'
import type { Actor } from '../../../operations/actor.js'

export const sessionEnded = (): AppError =>
  new AppError('invalid', 'This session is unknown or has ended. Sign in again.')

export const linkEnded = (): AppError =>
  new AppError(
    'invalid',
    'This link is unknown, used or expired. Get a new one with "npx worklore console", or sign in with an API key.',
  )

export const otherSession = (present: Actor, next: Actor): AppError => {
  const tenant = present.tenantId === next.tenantId ? '' : ' of another tenant'
  return new AppError(
    'session',
    `You are signed in as "${present.keyName}". This link signs you in as "${next.keyName}"${tenant}.`,
  )
}
