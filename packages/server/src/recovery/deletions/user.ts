import { notFound } from '../../base/errors.js'
import { erasedHandle, erasedName } from '../../base/person.js'
import { deferDeletion } from '../../changelog/deletions/service.js'
import { beginErasure } from '../../changelog/erasures/service.js'
import { forgetUser } from '../../changelog/inbox/maintenance.js'
import { namesInLog } from '../../changelog/maintenance.js'
import type { Call } from '../../operations/call.js'
import type { Hooks } from '../../operations/hooks.js'
import { changingAsAdmin } from '../../tenancy/keys/live-key.js'
import { revokeUserKeys } from '../../tenancy/keys/service.js'
import { forgetMember } from '../../tenancy/projects/members/service.js'
import type { User } from '../../tenancy/users/schema.js'
import { findUser, removeUser } from '../../tenancy/users/service.js'
import { readdressQuestions } from '../../work/tasks/questions/service.js'
import { unassignUser } from '../../work/tasks/service.js'

/** Tasks that are changed in one transaction. */
const tasksPerStep = 100

/**
 * Deletes a user, revokes their keys and takes them from their tasks and questions. The user is gone at once, from what tasks show too;
 * tasks that are too many for one transaction are changed in steps. The event does not name one who is erased.
 */
export const deleteUser = (call: Call, hooks: Hooks, id: string, { isErased = false } = {}): Promise<User> =>
  changingAsAdmin(call, (call) =>
    removeUser(
      call,
      id,
      async (call, user) => {
        // No quota refuses what follows from a deletion.
        const isDone = await releaseUserStep({ ...call, plan: undefined }, user)
        await revokeUserKeys(call, hooks, id)
        await forgetMember(call, id)
        await forgetUser(call, id)
        if (!isDone) await deferDeletion(call, 'user', id, user)
      },
      (user) => (isErased ? { ...user, name: erasedName, handle: erasedHandle, email: null } : user),
    ),
  )

/** Deletes a user, or one who was deleted before, and begins to take them out of all that tells of the past. */
export const eraseUser = (call: Call, hooks: Hooks, id: string): Promise<void> =>
  changingAsAdmin(call, async (call) => {
    const user = await findUser(call, id)
    const names = id.startsWith('usr_') ? await namesInLog(call, id) : []
    if (user) {
      names.push(user.name, user.email ?? '')
      await deleteUser(call, hooks, id, { isErased: true })
    }
    const hasBegun = names.length > 0 && (await beginErasure(call, id, names))
    if (!user && !hasBegun) throw notFound('user', id)
  })

/** Takes a user from some of their tasks and questions, each a change of its own; answers whether none is left. */
export const releaseUserStep = async (call: Call, user: User): Promise<boolean> => {
  if ((await unassignUser(call, user, tasksPerStep)) === tasksPerStep) return false
  return (await readdressQuestions(call, user.id, tasksPerStep)) < tasksPerStep
}
