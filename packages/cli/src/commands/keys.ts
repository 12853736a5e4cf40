import type { ApiKeyWithSecret, CreateKeyBody } from 'worklore-client'
import { agentScopes } from 'worklore-client/setup'
import { type Answer, command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { listOf } from '../input.js'
import { userIdOf } from '../named-records.js'
import { text, texts } from '../option.js'
import { takeRecords } from '../pages.js'
import { confirm } from '../terminal/prompt.js'
import { listAnswer } from '../terminal/table.js'
import { futureTime, localTime, secondsOf } from '../times.js'

const timeOrNever = (time: string | null): string => (time ? localTime(time) : 'never')

const withSecret = (key: ApiKeyWithSecret): Answer =>
  oneAnswer(key, key.id, `${key.name} (${key.id}), shown only once:\n\n  ${key.key}`, key.key ?? '')

export const keys = command({
  run: async (cli) => {
    const wl = cli.client()
    return listAnswer(await takeRecords((limit) => wl.keys.list({ limit })), 'id', [
      ['ID', 'id', 'cyan'],
      ['PREFIX', 'prefix'],
      ['SCOPES', 'scopes'],
      ['LAST USED', ({ lastUsedAt }) => timeOrNever(lastUsedAt)],
      ['EXPIRES', ({ expiresAt }) => timeOrNever(expiresAt)],
      ['PAUSED', ({ paused }) => (paused ? 'paused' : '')],
      ['NAME', 'name'],
    ])
  },
})

export const create = command({
  words: ['[NAME]'],
  more: `Prints its secret, once. With --agent it gets a user of its own, the agent's name, and the scopes
${agentScopes.join(' and ')} unless others are named.`,
  options: {
    agent: text('AGENT-NAME', 'Create an agent, as its user'),
    scope: texts('SCOPE', 'repeat it for several'),
    'limit-to': texts('PROJECT', 'Only for this project; repeat it for several'),
    user: text('USER', 'The user it belongs to, by id, name or email'),
    expires: text('TIME', '30d, or a time'),
    address: texts('RANGE', 'Only from this address or range (CIDR); repeat it for several'),
  },
  run: async (cli, values, [name]) => {
    const { agent } = values
    if (agent !== undefined && values.user !== undefined) throw usageError('--agent cannot be combined with --user.')
    const keyName = name ?? agent
    if (keyName === undefined) throw usageError('Name the key, or an agent with --agent.')
    const scopes = listOf(values.scope) ?? (agent === undefined ? undefined : [...agentScopes])
    if (!scopes) throw usageError('Name at least one --scope, such as tasks:write.')
    const wl = cli.client()
    const key = await wl.keys.create({
      name: keyName,
      scopes: scopes as CreateKeyBody['scopes'],
      projectIds: listOf(values['limit-to']),
      ...(agent === undefined ? { userId: await userIdOf(wl, values.user) } : { user: { name: agent } }),
      expiresAt: futureTime('--expires', values.expires),
      allowedAddresses: listOf(values.address),
    })
    return withSecret(key)
  },
})

export const rotate = command({
  words: ['KEY-ID'],
  more: 'Prints it, once.',
  options: { overlap: text('TIME', 'How long the old secret stays valid, such as 1h') },
  run: async (cli, { overlap }, [id]) =>
    withSecret(await cli.client().keys.rotate(id!, { overlapSeconds: secondsOf('--overlap', overlap) })),
})

export const rm = command({
  words: ['KEY-ID'],
  more: 'At once.',
  run: async (cli, _values, [id]) => {
    await confirm(cli, `This revokes the key ${id} and ends its claims.`)
    return oneAnswer(await cli.client().keys.delete(id!), id!, `Revoked ${id}.`)
  },
})
