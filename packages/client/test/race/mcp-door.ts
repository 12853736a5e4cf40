import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectedClient, generations } from 'worklore/dist/test/mcp/clients.js'
import { raceProject } from './settings.js'
import type { WorkDoor } from './work-door.js'

const pollMs = 50
const connectTries = 5
const connectAgainMs = 1_000

/** A service that has just started may answer 503, which the official client does not repeat. */
const connected = async (connect: () => Promise<ConnectedClient>): Promise<ConnectedClient> => {
  for (let tries = 1; ; tries++) {
    try {
      return await connect()
    } catch (error) {
      if (tries === connectTries || !String(error).includes('HTTP 503')) throw error
      await pause(connectAgainMs)
    }
  }
}

/** Work by the Model Context Protocol, with the official client, each call on another node than the one before. */
export const createMcpDoor = async (urls: readonly string[], apiKey: string, index: number): Promise<WorkDoor> => {
  const { connect } = generations[index % generations.length]!
  const clients = await Promise.all(urls.map((baseUrl) => connected(() => connect({ baseUrl }, apiKey))))
  let turn = index

  const call = async (...[name, args]: Parameters<ConnectedClient['call']>): Promise<string> => {
    const { text, isError } = await clients[turn++ % clients.length]!.call(name, args)
    if (isError) throw new Error(text)
    return text
  }

  return {
    next: async (isWaiting) => {
      const text = await call('claim_task', { project: raceProject })
      const [, token, id] = /^You hold claim ((\S+)\.\d+) until /.exec(text) ?? []
      if (token === undefined) {
        if (isWaiting) await pause(pollMs)
        return null
      }
      const held = { id, claim: token }
      const write = async (key: string, content: string): Promise<void> => {
        await call('write_knowledge', { key, content, project: raceProject, claim: token })
      }
      return {
        token,
        write: () => write(`work/${id}`, token),
        handBack: async () => {
          await call('finish_task', { ...held, outcome: 'release', summary: 'Not now.' })
        },
        finish: async (isNoted) => {
          if (isNoted) await write(`learned/${id}`, `${id} was done under ${token}.`)
          await call('finish_task', { ...held, outcome: 'done', summary: 'Done.' })
        },
      }
    },
    isClaimLost: (error) => error instanceof Error && error.message.startsWith('PRECONDITION_FAILED: Claim '),
  }
}
