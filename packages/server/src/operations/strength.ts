import { areWithin } from '../base/address-ranges.js'
import { isoTime } from '../base/clock.js'
import { AppError } from '../base/errors.js'
import type { Actor } from './actor.js'

type Limits = Pick<Actor, 'keyExpiresAt' | 'allowedAddresses'>

/**
 * Throws if a key could be used for longer, or from other addresses, than the caller's own. Only admin keys change keys,
 * so a key cannot exceed the caller's in any other way.
 */
export const checkStrength = (
  { keyExpiresAt, allowedAddresses = null }: Limits,
  key: { expiresAt: string | null; allowedAddresses: readonly string[] | null },
): void => {
  const endsMs = key.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt)
  if (keyExpiresAt !== null && endsMs > keyExpiresAt) {
    throw new AppError('key_lifetime', 'A key that expires cannot create, change or rotate a key that lasts longer.', {
      latest: isoTime(keyExpiresAt),
    })
  }
  if (!areWithin(allowedAddresses, key.allowedAddresses)) {
    throw new AppError(
      'key_addresses',
      'A key that is limited to addresses cannot create, change or rotate a key that can be used from other addresses.',
      { allowedAddresses },
    )
  }
}

/**
 * Throws if the caller's key expires or is limited to addresses, because the rights that it would grant have no such
 * limits. `gift` completes the sentence "A key that expires cannot …".
 */
export const checkLasting = ({ keyExpiresAt, allowedAddresses = null }: Limits, gift: string): void => {
  if (keyExpiresAt === null && allowedAddresses === null) return
  const limit = keyExpiresAt === null ? 'is limited to addresses' : 'expires'
  throw new AppError(
    'key_limits',
    `A key that ${limit} cannot ${gift}. Use an admin key that neither expires nor is limited to addresses.`,
  )
}
