import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62, randomBase62 } from './ids.js'

const marker = 'wl_live_'
const randomLength = 32
const checksumLength = 6

const checksum = (random: string): string => base62(crc32(random), checksumLength)

/** A marker that scanners can spot, 190 random bits, and a checksum so that a typo fails without a look-up. */
export const newSecret = (): string => {
  const random = randomBase62(randomLength)
  return marker + random + checksum(random)
}

const wellFormed = new RegExp(`^${marker}[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** False for a secret that cannot exist. One without our marker may be an operator's own. */
export const isPlausibleSecret = (secret: string): boolean => {
  if (!secret.startsWith(marker)) return secret.length >= 32 && secret.length <= 512
  if (!wellFormed.test(secret)) return false
  const random = secret.slice(marker.length, marker.length + randomLength)
  return secret.endsWith(checksum(random))
}

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

/** Enough of a secret to recognise it by, and too little to use. */
export const secretPrefix = (secret: string): string =>
  secret.startsWith(marker) ? secret.slice(0, marker.length + 4) : secret.slice(0, 4)
