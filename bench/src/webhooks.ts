import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { engineNames } from './options.js'
import { cpuMicroseconds } from './process-usage.js'
import { adminKey, startService } from './service-process.js'
import { createStore } from './store.js'

/** How many writes a second with and without webhooks, and how long an event takes to its receiver. */
const seconds = Number(process.argv[2] ?? 5)
const connections = 16
const pacedWritesPerSecond = 50
const agent = new Agent({ keepAlive: true, maxSockets: connections })

const delaysMs: number[] = []
const receiver = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk) => chunks.push(chunk))
  incoming.on('end', () => {
    const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string }
    delaysMs.push(Date.now() - Date.parse(timestamp))
    outgoing.end()
  })
})
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
const hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
const percentile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN

const post = (port: number, path: string, body: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
    const outgoing = request({ port, path, method: 'POST', agent, headers }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.on('error', reject).end(JSON.stringify(body))
  })

const createTask = (port: number) => post(port, '/v1/tasks', { projectId: 'BENCH', title: 'Write it down' })

const writeAtFullSpeed = async (port: number): Promise<number> => {
  let written = 0
  const untilMs = performance.now() + seconds * 1_000
  const write = async () => {
    while (performance.now() < untilMs) if ((await createTask(port)) === 201) written++
  }
  await Promise.all(Array.from({ length: connections }, write))
  return written
}

const settled = async (expected: number): Promise<void> => {
  for (let waited = 0; delaysMs.length < expected && waited < 120_000; waited += 20) await pause(20)
}

for (const engine of engineNames) {
  for (const webhooks of [0, 5]) {
    const store = await createStore(engine)
    const service = await startService({ ...store, environment: { WORKLORE_WEBHOOK_ALLOW: '127.0.0.0/8' } })
    await post(service.port, '/v1/projects', { key: 'BENCH', name: 'Bench' })
    for (let i = 0; i < webhooks; i++) await post(service.port, '/v1/webhooks', { url: hookUrl, events: ['task.*'] })
    delaysMs.length = 0
    const warmUp = await writeAtFullSpeed(service.port)
    await settled(warmUp * webhooks)

    delaysMs.length = 0
    const startedAt = performance.now()
    const cpuBefore = cpuMicroseconds(service.pid)
    const written = await writeAtFullSpeed(service.port)
    const rate = Math.round(written / ((performance.now() - startedAt) / 1_000))
    await settled(written * webhooks)
    const behindMs = Math.round(performance.now() - startedAt - seconds * 1_000)
    const cpuMicrosecondsPerWrite = Math.round((cpuMicroseconds(service.pid) - cpuBefore) / written)
    console.log(`${engine}, ${webhooks} webhooks: ${rate} writes/s, ${cpuMicrosecondsPerWrite} µs of CPU a write`)
    if (webhooks > 0) {
      console.log(`  all ${written * webhooks} deliveries were in ${behindMs} ms after the last write`)
      delaysMs.length = 0
      const paced = seconds * pacedWritesPerSecond
      for (let i = 0; i < paced; i++) {
        await createTask(service.port)
        await pause(1_000 / pacedWritesPerSecond)
      }
      await settled(paced * webhooks)
      const [p50, p99] = [percentile(delaysMs, 0.5), percentile(delaysMs, 0.99)]
      console.log(`  at ${pacedWritesPerSecond} writes/s, from event to receiver: p50 ${p50} ms, p99 ${p99} ms`)
    }
    await service.stop()
    await store.remove()
  }
}
receiver.close()
agent.destroy()
