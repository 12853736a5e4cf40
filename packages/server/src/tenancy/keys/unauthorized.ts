import { AppError } from '../../base/errors.js'

export type AuthFailure = 'missing' | 'invalid' | 'expired' | 'revoked'

const messages: Record<AuthFailure, string> = {
  missing: 'Send your API key in the header "Authorization: Bearer <API key>".',
  invalid: 'This API key is not known. Check that it was copied whole.',
  expired: 'This API key has expired. Ask an admin for a new one, or use the secret it was rotated to.',
  revoked: 'This API key was revoked. Ask an admin for a new one.',
}

export const unauthorized = (reason: AuthFailure): AppError => new AppError(reason, messages[reason])

const tokenMessages = {
  invalid: 'This access token is not valid here: its issuer, audience, signature or time is wrong. Sign in again.',
  expired: 'This access token has expired. Sign in again.',
}

/** The same for a token of an issuer. */
export const tokenRefused = (reason: keyof typeof tokenMessages): AppError =>
  new AppError(reason, tokenMessages[reason])
