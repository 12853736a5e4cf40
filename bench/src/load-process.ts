import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './load-protocol.js'

export interface LoadProcess {
  run(order: LoadOrder): Promise<LoadReport>
  stop(): void
}

/** The load has a process of its own, so that its work is never counted as the server's. */
export const startLoadProcess = (): LoadProcess => {
  const child = fork(fileURLToPath(new URL('load-client.js', import.meta.url)), { serialization: 'advanced' })
  return {
    run: async (order) => {
      child.send(order)
      const [answer] = (await once(child, 'message')) as [{ report: LoadReport } | { error: string }]
      if ('error' in answer) throw new Error(`the load broke off: ${answer.error}`)
      return answer.report
    },
    stop: () => void child.kill(),
  }
}
