import type { LoadProcess } from './load-process.js'
import { itemContent, itemKey, taskInput } from './records.js'
import { jsonRequest } from './requests.js'

const requestsPerOrder = 2_000
const connections = 64

/** Fills the service through its public interface, many requests at a time. */
export const fillThroughApi = async (
  load: LoadProcess,
  port: number,
  records: number,
  userIds: readonly string[],
  onProgress: (done: number) => void,
): Promise<void> => {
  const send = async (from: number, request: (at: number) => string): Promise<void> => {
    const count = Math.min(requestsPerOrder, records - from)
    const requests = Array.from({ length: count }, (_, at) => request(from + at))
    const report = await load.run({ port, requests, connections, durationMs: undefined })
    if (report.failures > 0) throw new Error(`filling failed: ${report.firstFailure}`)
  }
  for (let from = 0; from < records; from += requestsPerOrder) {
    await send(from, (at) => jsonRequest('POST', '/v1/tasks', taskInput(at, userIds)))
    await send(from, (at) => jsonRequest('PUT', `/v1/knowledge/${itemKey(at)}`, { content: itemContent(at) }))
    onProgress(Math.min(records, from + requestsPerOrder))
  }
}
