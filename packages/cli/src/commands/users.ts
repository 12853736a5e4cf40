import type { User } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { userIdOf } from '../named-records.js'
import { flag } from '../option.js'
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

export const rm = command({
  words: ['USER'],
  more: `The user is an id, a handle, a name or an email. Tasks are unassigned at once. With --erase, name and email are
also replaced by "deleted user" in events, history and the audit log in the background; the audit entry user.erased says when
that is complete.`,
  options: { erase: flag('Erase the name and email everywhere; cannot be undone') },
  run: async (cli, { erase }, [word]) => {
    const wl = cli.client()
    const id = await userIdOf(wl, word)
    if (!id) throw usageError('Say which user to delete.')
    const erasure = erase ? ' and erases their name and email. It cannot be undone.' : '.'
    await confirm(cli, `This deletes the user ${word}${erasure}`)
    const data = await wl.users.delete(id, { erase })
    return oneAnswer(data, id, `Deleted ${id}.${erase ? ' Name and email are erased in the background.' : ''}`)
  },
})
