import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SecretKey } from '../../base/secret-key.js'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const version = 'v1'

/** Encrypts a secret for one place: the same text is of no use in another. */
export const encrypt = ({ id, bytes }: SecretKey, place: string, secret: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, bytes, nonce).setAAD(Buffer.from(place))
  const encrypted = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [version, id, encrypted.toString('base64')].join(':')
}

/** The id of the key that a text is encrypted with; undefined where it is not encrypted. */
export const keyIdOf = (text: string): string | undefined => {
  const [first, id] = text.split(':')
  return first === version ? id : undefined
}

export const decrypt = ({ bytes }: SecretKey, place: string, text: string): string => {
  const encrypted = Buffer.from(text.split(':')[2] ?? '', 'base64')
  const decipher = createDecipheriv(algorithm, bytes, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(place)).setAuthTag(encrypted.subarray(-tagBytes))
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
}
