import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import type { LoadRequest } from './cases.js'

/** Sends requests from a separate thread, so that serializing and reading them does not delay the measurement. */
const { port, key } = workerData as { port: number; key: string }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const send = ({ method, path, body }: LoadRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
    }
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode!))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(bytes)
  })

const setupAtOnce = 8

parentPort!.on('message', async ({ requests, isSetup }: { requests: LoadRequest[]; isSetup: boolean }) => {
  const statuses: number[] = []
  const step = isSetup ? setupAtOnce : requests.length
  // The first two requests of a setup create records that the following requests refer to.
  let at = isSetup ? Math.min(2, requests.length) : 0
  for (const first of requests.slice(0, at)) statuses.push(await send(first))
  for (; at < requests.length; at += step)
    statuses.push(...(await Promise.all(requests.slice(at, at + step).map(send))))
  parentPort!.postMessage(statuses)
})
