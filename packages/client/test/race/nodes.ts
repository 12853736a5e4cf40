import { createServer } from 'node:net'
import type { StoreSettings } from 'worklore-testing/engines'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

export interface Nodes {
  urls: string[]
  /** Kills a node at once and starts it again at the same address. */
  restart(index: number): Promise<void>
  stop(): Promise<void>
}

export const startNodes = async (store: StoreSettings, count: number): Promise<Nodes> => {
  const ports: number[] = []
  const nodes: RealProcess[] = []
  const start = (port: number): Promise<RealProcess> => startProcess(store, { PORT: String(port) })
  for (let index = 0; index < count; index++) {
    ports.push(await freePort())
    nodes.push(await start(ports[index]!))
  }
  return {
    urls: nodes.map(({ baseUrl }) => baseUrl),
    restart: async (index) => {
      await nodes[index]!.end('SIGKILL')
      nodes[index] = await start(ports[index]!)
    },
    stop: async () => void (await Promise.all(nodes.map((node) => node.end('SIGKILL')))),
  }
}
