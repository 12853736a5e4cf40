import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectedClient, generations } from 'worklore-testing/mcp-clients'
import { raceProject } from './settings.js'
import type { WorkDoor } from './work-door.js'

const pollMs = 50
const tries = 10
const againMs = 1_000

/** A request that was rejected before anything happened, as by a service that has just started or is overloaded. */
const isRejected = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 503 || String(error).includes('HTTP 503')

/** Unlike the service's own client, the official ones do not retry after a 503. */
const withRetries = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let count = 1; ; count++) {
    try {
      return await work()
    } catch (error) {
      if (count === tries || !isRejected(error)) throw error
      await pause(againMs)
    }
  }
}

/** Work by the Model Context Protocol, with the official client, each call on another node than the one before. */
export const createMcpDoor = async (urls: readonly string[], apiKey: string, index: number): Promise<WorkDoor> => {
  const { connect } = generations[index % generations.length]!
  const clients = await Promise.all(urls.map((baseUrl) => withRetries(() => connect({ baseUrl }, apiKey))))
  let turn = index

  const call = async (...[name, args]: Parameters<ConnectedClient['call']>): Promise<string> => {
    const { text, isError } = await withRetries(() => clients[turn++ % clients.length]!.call(name, args))
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
