import { AppError } from '../errors.js'

export const sessionEnded = (): AppError =>
  new AppError('UNAUTHORIZED', 'This session is unknown or has ended. Sign in again.', { reason: 'invalid' })

export const linkEnded = (): AppError =>
  new AppError(
    'UNAUTHORIZED',
    'This link is unknown, used or expired. Get a new one with "npx worklore console", or sign in with an API key.',
    { reason: 'invalid' },
  )
