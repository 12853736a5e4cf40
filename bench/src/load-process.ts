import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadMessage, LoadOrder, LoadReport } from './load-protocol.js'

export interface LoadProcess {
  /** `onBegin` is called when all connections are open and the time begins. */
  run(order: LoadOrder, onBegin?: () => void): Promise<LoadReport>
  stop(): void
}

/** The load has a process of its own, so that its work is never counted as the server's. */
export const startLoadProcess = (): LoadProcess => {
  const child = fork(fileURLToPath(new URL('load-client.js', import.meta.url)), { serialization: 'advanced' })
  return {
    run: async (order, onBegin) => {
      child.send(order)
      for (;;) {
        const [answer] = (await once(child, 'message')) as [LoadMessage]
        if ('error' in answer) throw new Error(`the load broke off: ${answer.error}`)
        if ('report' in answer) return answer.report
        onBegin?.()
      }
    },
    stop: () => void child.kill(),
  }
}
