import { AppError } from '../../../base/errors.js'

/** Why a sign-in came to nothing. */
type SignInRefusal =
  | 'state'
  | 'denied'
  | 'code'
  | 'response'
  | 'unreachable'
  | 'tenant'
  | 'disabled'
  | 'email'
  | 'unknown'
  | 'revoked'
  | 'expired'
  | 'address'

const messages: Record<SignInRefusal, string> = {
  state: 'This sign-in was not started in this browser, was used already, or was started too long ago. Sign in again.',
  denied: 'The sign-in was cancelled or refused there. Sign in again, or ask whoever manages your account.',
  code: 'The sign-in could not be completed: its code is used or expired. Sign in again.',
  response: 'The sign-in was rejected because the response is not valid. Ask the operator to check the settings.',
  unreachable: 'The sign-in service does not answer. Try again in a minute; an API key still works.',
  tenant: 'The tenant of this sign-in does not exist. Ask the operator to check the settings.',
  disabled: 'Your account is disabled here. Ask an admin if you need access.',
  email:
    'Your account has no verified e-mail address, and no role here. Verify the address there, or ask an admin for access.',
  unknown: 'Your account has no access here. Ask an admin to add a user with your e-mail address.',
  revoked: 'Your access was revoked. Ask an admin if you need it again.',
  expired: 'Your access has ended. Ask an admin to extend your key.',
  address: 'You may not sign in from this address. Use an allowed one, or ask an admin.',
}

export const signInRefused = (refusal: SignInRefusal, cause?: unknown): AppError =>
  new AppError('sign_in', messages[refusal], { refusal }, cause === undefined ? {} : { cause })

/** Undefined for every other error. */
export const refusalOf = (error: unknown): SignInRefusal | undefined =>
  error instanceof AppError && error.reason === 'sign_in' ? (error.params.refusal as SignInRefusal) : undefined
