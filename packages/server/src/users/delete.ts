import { type Call, changing } from '../call.js'
import { deferDeletion } from '../deletions/service.js'
import { releaseUserKeys } from '../keys/service.js'
import { unassignUser } from '../tasks/service.js'
import type { User } from './schema.js'
import { removeUser } from './service.js'

/** Tasks that are changed in one transaction. */
const tasksPerStep = 100

/**
 * Deletes a user and takes them from their tasks and keys. The user is gone at once, from what tasks show too; tasks
 * that are too many for one transaction are changed in steps.
 */
export const deleteUser = (call: Call, id: string): Promise<User> =>
  changing(call, async (call) =>
    removeUser(call, id, async (call, user) => {
      // No quota refuses what follows from a deletion.
      const isDone = await releaseUserStep({ ...call, plan: undefined }, user)
      await releaseUserKeys(call, id)
      if (!isDone) await deferDeletion(call, 'user', id, user)
    }),
  )

/** Takes a user from some of their tasks, each a change of its own; answers whether none is left. */
export const releaseUserStep = async (call: Call, user: User): Promise<boolean> =>
  (await unassignUser(call, user, tasksPerStep)) < tasksPerStep
