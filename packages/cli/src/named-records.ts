import type { Worklore } from 'worklore-client'
import { CommandError, exitConflict, exitNothing } from './exit-codes.js'

interface Named {
  id: string
  name: string
  handle?: string
  email?: string | null
}

/** The id of the one record that a word names. */
const idOfName = async (what: string, word: string, records: AsyncIterable<Named>): Promise<string> => {
  const ids: string[] = []
  for await (const { id, name, handle, email } of records) {
    // A handle belongs to one user alone.
    if (handle !== undefined && handle === word.toLowerCase().replace(/^@/, '')) return id
    if ([name, email].some((each) => each?.toLowerCase() === word.toLowerCase())) ids.push(id)
  }
  if (ids.length === 0) throw new CommandError(`${what} "${word}" not found.`, exitNothing)
  if (ids.length > 1) throw new CommandError(`"${word}" is the name of ${ids.join(', ')}. Use an id.`, exitConflict)
  return ids[0]!
}

/** The user that a word means: an id, `me`, a handle, a name or an email; null for `none`. */
export const userIdOf = async (wl: Worklore, word: string | undefined): Promise<string | null | undefined> => {
  if (word === undefined || word.startsWith('usr_')) return word
  if (word === 'none') return null
  if (word !== 'me') return idOfName('User', word, wl.users.list({ limit: 100 }))
  const { user } = await wl.me()
  if (!user) throw new CommandError('This key belongs to no user, so there is no "me".', exitNothing)
  return user.id
}

/** The API key that a word means: an id, `me`, or a name. */
export const keyIdOf = async (wl: Worklore, word: string | undefined): Promise<string | undefined> => {
  if (word === undefined || word.startsWith('key_')) return word
  return word === 'me' ? (await wl.me()).key.id : idOfName('Key', word, wl.keys.list({ limit: 100 }))
}

/** The keys of projects by their ids, fetched where at least one is asked for. */
export const projectKeys = async (wl: Worklore, ids: readonly (string | null)[]): Promise<Map<string, string>> => {
  const keys = new Map<string, string>()
  if (ids.every((id) => id === null)) return keys
  for await (const { id, key } of wl.projects.list({ limit: 100 })) keys.set(id, key)
  return keys
}
