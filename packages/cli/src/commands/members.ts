import type { Member, Worklore } from 'worklore-client'
import { command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { userIdOf } from '../named-records.js'
import { takeRecords } from '../pages.js'
import { listAnswer } from '../terminal/table.js'

const userNamed = async (wl: Worklore, word: string | undefined): Promise<string> => {
  const id = await userIdOf(wl, word)
  if (!id) throw usageError('Say which user: an id, a handle, a name or an email.')
  return id
}

export const members = command({
  words: ['PROJECT'],
  run: async (cli, _values, [project]) => {
    const wl = cli.client()
    return listAnswer(await takeRecords((limit) => wl.projects.members(project!, { limit })), 'userId', [
      ['USER', 'userId', 'cyan'],
      ['ROLE', 'role'],
      ['NAME', 'name'],
    ])
  },
})

export const set = command({
  words: ['PROJECT', 'USER', 'ROLE'],
  more: 'The role is member (reads and writes) or viewer (reads and comments). It replaces the role in the tenant there.',
  run: async (cli, _values, [project, word, role]) => {
    const wl = cli.client()
    const member = await wl.projects.setMember(project!, await userNamed(wl, word), role as Member['role'])
    return oneAnswer(member, member.userId, `${member.name} is ${member.role} of ${project} now.`)
  },
})

export const rm = command({
  words: ['PROJECT', 'USER'],
  run: async (cli, _values, [project, word]) => {
    const wl = cli.client()
    const userId = await userNamed(wl, word)
    const data = await wl.projects.removeMember(project!, userId)
    return oneAnswer(data, userId, `${word} has no role in ${project} any longer.`)
  },
})
