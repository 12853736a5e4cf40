import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { StoreSettings } from '../src/db/open.js'
import type { WindowState } from '../src/limits/limiter.js'
import type { NodeOrder } from './limits-node.js'

interface NodeAnswer {
  tenantId: string
  isAllowed: boolean
  shown: WindowState
}

export interface LimitsNode {
  take(order: NodeOrder): Promise<NodeAnswer[]>
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The node ended early: ${code ?? signal}`)
  })
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message
}

/** Starts another process that counts against the same store. */
export const forkLimitsNode = async (settings: StoreSettings): Promise<LimitsNode> => {
  const child = fork(fileURLToPath(new URL('./limits-node.js', import.meta.url)), {
    env: { ...process.env, WORKLORE_TEST_STORE: JSON.stringify(settings) },
    execArgv: [],
  })
  await nextMessage(child)
  return {
    take: async (order) => {
      child.send(order)
      return (await nextMessage(child)) as NodeAnswer[]
    },
    end: async (signal) => {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}
