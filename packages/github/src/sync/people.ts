import type { User, Worklore } from 'worklore-client'
import { usageError } from '#command-line'

/** Who is who: by the map that was given, else by a handle that equals the login. */
export interface People {
  userOf(login: string): User | undefined
  loginOf(userId: string): string | undefined
  nameOf(userId: string | null): string | undefined
}

export const loadPeople = async (wl: Worklore, map: ReadonlyMap<string, string>): Promise<People> => {
  const byHandle = new Map<string, User>()
  const byId = new Map<string, User>()
  for await (const user of wl.users.list({ limit: 100 })) {
    byHandle.set(user.handle, user)
    byId.set(user.id, user)
  }
  for (const handle of map.values())
    if (!byHandle.has(handle)) throw usageError(`--user names "${handle}", which is not the handle of a user.`)
  const loginOfHandle = new Map([...map].map(([login, handle]) => [handle, login]))
  const mapped = (login: string): string => map.get(login.toLowerCase()) ?? login.toLowerCase()
  return {
    userOf: (login) => byHandle.get(mapped(login)),
    loginOf: (userId) => {
      const handle = byId.get(userId)?.handle
      return handle && (loginOfHandle.get(handle) ?? handle)
    },
    nameOf: (userId) => (userId === null ? undefined : byId.get(userId)?.name),
  }
}
