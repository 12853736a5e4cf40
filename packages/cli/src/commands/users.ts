import type { User } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { userIdOf } from '../named-records.js'
import { takeRecords } from '../pages.js'
import { confirm } from '../terminal/prompt.js'
import { listAnswer } from '../terminal/table.js'

export const users = command({
  run: async (cli) => {
    const wl = cli.client()
    return listAnswer(await takeRecords((limit) => wl.users.list({ limit })), 'id', [
      ['ID', 'id', 'cyan'],
      ['HANDLE', 'handle'],
      ['KIND', 'kind'],
      ['ROLE', 'role'],
      ['EMAIL', 'email'],
      ['NAME', 'name'],
    ])
  },
})

export const role = command({
  words: ['USER', 'ROLE'],
  more: `The user is an id, a handle, a name or an email. The role is admin, member (reads and writes) or none (only what a role in a project gives; see wl members). It binds all keys of the user, from now on.`,
  run: async (cli, _values, [word, role]) => {
    const wl = cli.client()
    const id = await userIdOf(wl, word)
    if (!id) throw usageError('Say which user.')
    const user = await wl.users.update(id, { role: role as User['role'] })
    return oneAnswer(user, id, `${user.name} is ${user.role} now.`)
  },
})

export const erase = command({
  words: ['USER'],
  more: `The user is an id, a handle, a name or an email. Tasks are unassigned at once; name and email are replaced by "deleted user"
in events, history and the audit log in the background. The audit entry user.erased says when that is complete.`,
  run: async (cli, _values, [word]) => {
    const wl = cli.client()
    const id = await userIdOf(wl, word)
    if (!id) throw usageError('Say which user to erase.')
    await confirm(cli, `This deletes the user ${word} and erases their name and email. It cannot be undone.`)
    const data = await wl.users.delete(id, { erase: true })
    return oneAnswer(data, id, `Deleted ${id}. Name and email are erased in the background.`)
  },
})
