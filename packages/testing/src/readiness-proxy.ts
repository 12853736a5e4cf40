import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inLongRun } from './long-run.js'
import { until } from './until.js'

const pollEveryMs = inLongRun(250, 50)

interface ReadinessProxy {
  baseUrl: string
  /** Waits until a node is ready, or is not. */
  sees(node: string, isReady: boolean): Promise<void>
  add(node: string): void
  stop(): void
}

/** A load balancer as operators have one: it asks each node's `/readyz`, and sends requests to those that are ready. */
export const startReadinessProxy = async (): Promise<ReadinessProxy> => {
  const nodes = new Map<string, boolean>()
  // Idle connections are closed before a node closes them: what is sent on one that is being closed is lost.
  const agent = new Agent({ keepAlive: true, timeout: 30_000 })
  let turn = 0
  let isStopped = false

  const poll = async (): Promise<void> => {
    for (const node of nodes.keys()) {
      nodes.set(
        node,
        await fetch(`${node}/readyz`, { headers: { connection: 'close' } }).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
    }
    if (!isStopped) timer = setTimeout(poll, pollEveryMs)
  }
  let timer = setTimeout(poll, 0)

  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes].flatMap(([node, isReady]) => (isReady ? [node] : []))
    const node = ready[turn++ % ready.length]
    if (node === undefined) return void outgoing.writeHead(502).end('no node is ready')
    const { method, headers, url } = incoming
    const forwarded = request(`${node}${url}`, { method: method!, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', (error) =>
      outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end(`${node}: ${error.message}`),
    )
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sees: async (node, isReady) => {
      await until(
        async () => nodes.get(node),
        (now) => now === isReady,
      )
    },
    add: (node) => void nodes.set(node, false),
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}
