import type { User } from 'worklore-client'

interface Actor {
  keyName: string
  userId: string | null
}

export interface Users {
  get(id: string): User | undefined
}

/** Who did something: people by the name of their user, agents by that of their key, of which a user may have several. */
export const actorOf = (users: Users, { keyName, userId }: Actor): { name: string; isAgent: boolean } => {
  const user = users.get(userId ?? '')
  return user?.kind === 'human' ? { name: user.name, isAgent: false } : { name: keyName, isAgent: true }
}
