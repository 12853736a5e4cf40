import type { Sql } from '../port.js'

/** Which keys the secrets in the database are encrypted with. */
export interface KeyState {
  currentKeyId: string
  /** The key that some secrets may still be encrypted with; `plaintext` where they may not be encrypted yet. */
  retiringKeyId: string | null
}

export const plaintext = 'plaintext'

export const findKeyState = async (
  db: Sql,
  lock: '' | 'forUpdate' | 'forShare' = '',
): Promise<KeyState | undefined> => {
  const row = await db.get<{ current_key_id: string; retiring_key_id: string | null }>(
    `select current_key_id, retiring_key_id from secret_keys where id = 1${lock && db.dialect[lock]}`,
  )
  return row && { currentKeyId: row.current_key_id, retiringKeyId: row.retiring_key_id }
}

/** The first key of a database; where there is one already, it stays. */
export const insertKeyState = async (db: Sql, keyId: string): Promise<void> => {
  await db.run(
    'insert into secret_keys (id, current_key_id, retiring_key_id) values (1, ?, ?) on conflict (id) do nothing',
    [keyId, plaintext],
  )
}

export const updateKeyState = async (db: Sql, { currentKeyId, retiringKeyId }: KeyState): Promise<void> => {
  await db.run('update secret_keys set current_key_id = ?, retiring_key_id = ? where id = 1', [
    currentKeyId,
    retiringKeyId,
  ])
}
