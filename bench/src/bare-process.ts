import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BareAnswer } from './bare-server.js'

export interface BareProcess {
  pid: number
  port: number
  answerWith(answer: BareAnswer): Promise<void>
  stop(): void
}

export const startBareFastify = async (): Promise<BareProcess> => {
  const child = fork(fileURLToPath(new URL('bare-server.js', import.meta.url)))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    pid: child.pid!,
    port,
    answerWith: async (answer) => {
      child.send(answer)
      await once(child, 'message')
    },
    stop: () => void child.kill(),
  }
}
