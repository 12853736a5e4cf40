import { unavailable } from '../../base/errors.js'
import { newSecretKey, parseSecretKeys, type SecretKey } from '../../base/secret-key.js'
import type { Db, Sql } from '../port.js'
import { decrypt, encrypt, keyIdOf } from './encryption.js'
import { keyFileIn } from './key-file.js'
import { findKeyState, insertKeyState, type KeyState, plaintext, updateKeyState } from './store.js'

interface SecretSettings {
  secretKey: string | undefined
  dataDir: string
}

/** Encrypts and decrypts secrets with the operator's keys. `place` says where a secret belongs, and only there it opens. */
export interface SecretBox {
  /** With the current key of the database, which stays the current one until the transaction ends. */
  seal(tx: Sql, place: string, secret: string): Promise<string>
  open(place: string, sealed: string): string
  /** False where a stored secret is encrypted with a key that is not at hand. */
  canOpen(place: string, stored: string): boolean
}

/** Encrypts every secret anew that is not under the current key, in small steps; answers how many. */
export type ReencryptAll = (db: Db, reencrypt: Reencrypt) => Promise<number>
/** The text to store instead; undefined where it can stay. */
type Reencrypt = (tx: Sql, place: string, stored: string) => Promise<string | undefined>

interface KeyRing {
  keys(): readonly SecretKey[]
  find(id: string): SecretKey | undefined
}

/** The keys of the setting, then those of the key file, which is read again where a key is missing. */
const createKeyRing = ({ secretKey, dataDir }: SecretSettings): KeyRing => {
  const file = keyFileIn(dataDir)
  const load = (): SecretKey[] => [...parseSecretKeys(secretKey ?? ''), ...file.read()]
  let loaded = load()
  const known = (id: string): SecretKey | undefined => loaded.find((key) => key.id === id)
  return {
    keys: () => loaded,
    find: (id) => {
      const key = known(id)
      if (key) return key
      loaded = load()
      return known(id)
    },
  }
}

const createSecretBox = (ring: KeyRing): SecretBox => {
  const open = (place: string, sealed: string): string => {
    const id = keyIdOf(sealed)
    const key = id === undefined ? undefined : ring.find(id)
    if (!key) throw new Error(`A secret is encrypted with key ${id ?? 'unknown'}, which this node does not have.`)
    return decrypt(key, place, sealed)
  }
  return {
    seal: async (tx, place, secret) => {
      const state = await findKeyState(tx, 'forShare')
      const key = state && ring.find(state.currentKeyId)
      if (!key) {
        throw unavailable(
          'The secret key of this node is out of date. The operator must restart it with the new key.',
          60,
        )
      }
      return encrypt(key, place, secret)
    },
    open,
    canOpen: (place, stored) => {
      if (keyIdOf(stored) === undefined) return true
      try {
        open(place, stored)
        return true
      } catch {
        return false
      }
    },
  }
}

const missingKey = (id: string, dataDir: string): Error =>
  new Error(
    `The secrets in this database are encrypted with another key (${id}). Set WORKLORE_SECRET_KEY to that key, or copy secret.key from the node or machine that has it to ${dataDir}. If the key is lost: worklore secrets reset --help`,
  )

const reencryptWith =
  (ring: KeyRing, box: SecretBox): Reencrypt =>
  async (tx, place, stored) => {
    const id = keyIdOf(stored)
    const current = (await findKeyState(tx))?.currentKeyId
    if (id !== undefined && id === current) return undefined
    return box.seal(tx, place, id === undefined ? stored : decrypt(ring.find(id)!, place, stored))
  }

/** Brings every secret under the current key, then lets the retiring key go. */
const finishRotation = async (db: Db, ring: KeyRing, reencryptAll: ReencryptAll): Promise<number> => {
  const count = await reencryptAll(db, reencryptWith(ring, createSecretBox(ring)))
  await db.transaction(async (tx) => {
    const state = await findKeyState(tx, 'forUpdate')
    if (state) await updateKeyState(tx, { ...state, retiringKeyId: null })
  })
  return count
}

/** Throws where the database needs a key that is not there, before anything is read or written with a wrong one. */
const checkKeys = async (db: Db, ring: KeyRing, dataDir: string): Promise<void> => {
  const state = await findKeyState(db)
  for (const id of [state?.currentKeyId, state?.retiringKeyId]) {
    if (id && id !== plaintext && !ring.find(id)) throw missingKey(id, dataDir)
  }
}

const createKeyFile = (dataDir: string): KeyRing => {
  keyFileIn(dataDir).create(newSecretKey())
  return createKeyRing({ secretKey: undefined, dataDir })
}

/**
 * Opens the secrets of a database at the start of a node. The first start takes the key of the setting, or makes a key
 * file. What was not encrypted yet, or is still under a retiring key, is encrypted with the current one.
 */
export const openSecrets = async (db: Db, settings: SecretSettings, reencryptAll: ReencryptAll): Promise<SecretBox> => {
  let ring = createKeyRing(settings)
  if (!(await findKeyState(db))) {
    if (ring.keys().length === 0) ring = createKeyFile(settings.dataDir)
    await insertKeyState(db, ring.keys()[0]!.id)
  }
  await checkKeys(db, ring, settings.dataDir)
  const state = await findKeyState(db)
  if (state?.retiringKeyId) await finishRotation(db, ring, reencryptAll)
  return createSecretBox(ring)
}

const existingState = async (db: Db): Promise<KeyState> => {
  const state = await findKeyState(db)
  if (!state) throw new Error('There is no secret key yet. Start the service once to create it.')
  return state
}

/**
 * Makes another key the current one and encrypts every secret with it: the first key of the setting, or a new one in the
 * key file. Goes on where it was interrupted.
 */
export const rotateSecretKey = async (
  db: Db,
  settings: SecretSettings,
  reencryptAll: ReencryptAll,
): Promise<{ keyId: string; reencrypted: number }> => {
  const ring = createKeyRing(settings)
  await checkKeys(db, ring, settings.dataDir)
  const state = await existingState(db)
  if (state.retiringKeyId === null) await retireCurrentKey(db, settings, ring)
  const reencrypted = await finishRotation(db, ring, reencryptAll)
  const { currentKeyId: keyId } = await existingState(db)
  const file = keyFileIn(settings.dataDir)
  const keptInFile = file.read().filter(({ id }) => id === keyId)
  if (keptInFile.length > 0) file.replace(keptInFile)
  return { keyId, reencrypted }
}

const retireCurrentKey = async (db: Db, settings: SecretSettings, ring: KeyRing): Promise<void> => {
  const { currentKeyId } = await existingState(db)
  const file = keyFileIn(settings.dataDir)
  if (ring.keys()[0]?.id === currentKeyId) {
    if (settings.secretKey !== undefined) {
      throw new Error('Set WORKLORE_SECRET_KEY to the new and the old key, separated by a comma: NEW,OLD')
    }
    const next = newSecretKey()
    file.replace([next, ...file.read()])
    ring.find(next.id)
  }
  const next = ring.keys()[0]!
  await db.transaction(async (tx) => {
    const state = await findKeyState(tx, 'forUpdate')
    if (state?.currentKeyId !== currentKeyId || state.retiringKeyId !== null) {
      throw new Error('Another rotation is running. Run this command again when it has finished.')
    }
    await updateKeyState(tx, { currentKeyId: next.id, retiringKeyId: currentKeyId })
  })
}

/** Starts over where a key is lost: with a key at hand, or a new key file. If it is interrupted, it is run again. */
export const resetSecretKey = async (
  db: Db,
  settings: SecretSettings,
  reencryptAll: ReencryptAll,
  /** Replaces the secrets that cannot be decrypted; returns how many. */
  replaceLost: (db: Db, box: SecretBox) => Promise<number>,
): Promise<{ keyId: string; replaced: number }> => {
  let ring = createKeyRing(settings)
  const state = await existingState(db)
  if (ring.keys().length === 0) ring = createKeyFile(settings.dataDir)
  const keyId = ring.find(state.currentKeyId)?.id ?? ring.keys()[0]!.id
  if (keyId !== state.currentKeyId) {
    await updateKeyState(db, { currentKeyId: keyId, retiringKeyId: state.retiringKeyId ?? state.currentKeyId })
  }
  const replaced = await replaceLost(db, createSecretBox(ring))
  await finishRotation(db, ring, reencryptAll)
  return { keyId, replaced }
}
