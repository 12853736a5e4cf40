import { createHmac, randomBytes } from 'node:crypto'

/** A key that encrypts what the database keeps secret. */
export interface SecretKey {
  /** Derived from the key, so that the database can name it without knowing it. */
  id: string
  bytes: Buffer
}

const keyBytes = 32

const decode = (text: string): Buffer | undefined => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  return undefined
}

const secretKeyOf = (bytes: Buffer): SecretKey => ({
  id: createHmac('sha256', bytes).update('worklore secret key id').digest('hex').slice(0, 16),
  bytes,
})

export const newSecretKey = (): SecretKey => secretKeyOf(randomBytes(keyBytes))

/** Reads keys as settings and the key file hold them, the newest first. */
export const parseSecretKeys = (text: string): SecretKey[] =>
  text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const bytes = decode(part)
      if (bytes?.length !== keyBytes)
        throw new Error(`must be ${keyBytes} bytes in base64 or hex (openssl rand -base64 32)`)
      return secretKeyOf(bytes)
    })
