import { chmodSync, chownSync } from 'node:fs'

export type User = { uid: number; gid: number } | { uid?: never; gid?: never }

/** Who is refused what a file's mode forbids: `nobody` in place of root, else the user of the tests. */
export const unprivilegedUser = (): User => (process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {})

/** Gives a file or folder to that user, with a mode. */
export const giveToUnprivileged = (path: string, mode: number): void => {
  const { uid, gid } = unprivilegedUser()
  if (uid !== undefined) chownSync(path, uid, gid)
  chmodSync(path, mode)
}
