import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from 'worklore-testing/harness'
import { startReceiver } from 'worklore-testing/receiver'
import type { Load, Target } from './beside.js'
import { requestOf, sendEndlessly } from './endless-requests.js'
import { getRequest, sendUnread } from './unread.js'

const largeFile = '/docs/static/swagger-ui-bundle.js'

/** It is the answers that are hostile here, not the work of making them all at once. */
const openEveryMs = 100

/** Opens connections that read nothing, and opens each anew that the service cuts off. */
const keepUnread = async (count: number, bytes: string, { port }: Target, signal: AbortSignal): Promise<void> => {
  const sockets = new Set<Socket>()
  while (!signal.aborted) {
    while (sockets.size < count && !signal.aborted) {
      const socket = await sendUnread(port, bytes)
      sockets.add(socket)
      await sleep(openEveryMs)
      socket.on('close', () => sockets.delete(socket))
    }
    await sleep(100)
  }
  for (const socket of sockets) socket.destroy()
}

const pipelineAndLeave: Load = {
  name: 'pipelined requests whose connections are closed unread',
  memoryCeilingBytes: 350e6,
  run: async ({ port, key }, signal) => {
    const bytes = getRequest(largeFile).repeat(8) + getRequest('/v1/me', key).repeat(500)
    while (!signal.aborted) {
      const sockets = await Promise.all([1, 2, 3].map(() => sendUnread(port, bytes)))
      await sleep(1_000)
      for (const socket of sockets) socket.destroy()
    }
  },
}

const unreadDocuments: Load = {
  name: 'unread answers of the document, 300 on each of 20 connections',
  memoryCeilingBytes: 350e6,
  run: (target, signal) => keepUnread(20, getRequest('/openapi.json').repeat(300), target, signal),
}

const unreadPages: Load = {
  name: 'unread pages of large knowledge on 50 connections',
  memoryCeilingBytes: 500e6,
  prepare: async ({ baseUrl, key }) => {
    for (let at = 0; at < 12; at++) {
      await send(baseUrl, 'PUT', `/v1/knowledge/large/${at}`, { key, body: { content: 'x'.repeat(1_000_000) } })
    }
  },
  run: (target, signal) => keepUnread(50, getRequest('/v1/knowledge?limit=500', target.key), target, signal),
}

const onConnections = async (
  count: number,
  requests: readonly Buffer[],
  { port }: Target,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(Array.from({ length: count }, () => sendEndlessly(port, requests, signal)))
}

const distinct = (count: number): string[] => Array.from({ length: count }, (_, at) => `v${at}`)

const worstBodies: Load = {
  name: 'bodies that are as much work to check as possible, on 16 connections',
  memoryCeilingBytes: 500e6,
  run: (target, signal) => {
    const unknown = Object.fromEntries(distinct(19_900).map((name) => [name, 1]))
    const requests = [
      requestOf('POST', '/v1/keys', target.key, { name: 'x', scopes: distinct(19_900) }),
      requestOf('POST', '/v1/tasks', target.key, { projectId: 'ACME', title: 'x', ...unknown }),
      requestOf('POST', '/v1/tasks', target.key, { projectId: 'ACME', title: '\u{1f4a5}'.repeat(450_000) }),
    ]
    return onConnections(16, requests, target, signal)
  },
}

const createProject = async ({ baseUrl, key }: Target): Promise<void> => {
  await send(baseUrl, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } })
}

const longPolls: Load = {
  name: '1,000 long polls, which changes wake again and again',
  memoryCeilingBytes: 500e6,
  prepare: createProject,
  run: async (target, signal) => {
    const polls = onConnections(
      1_000,
      [requestOf('GET', '/v1/events?after=latest&wait=30', target.key)],
      target,
      signal,
    )
    while (!signal.aborted) {
      await send(target.baseUrl, 'POST', '/v1/tasks', { key: target.key, body: { projectId: 'ACME', title: 'x' } })
      await sleep(50)
    }
    await polls
  },
}

const flood: Load = {
  name: 'reads and writes on 400 connections without a pause',
  memoryCeilingBytes: 500e6,
  prepare: createProject,
  run: (target, signal) => {
    const requests = [
      requestOf('POST', '/v1/tasks', target.key, { projectId: 'ACME', title: 'x', labels: distinct(20) }),
      requestOf('GET', '/v1/tasks?limit=100', target.key),
      requestOf('PUT', '/v1/knowledge/x', target.key, { content: 'x'.repeat(20_000) }),
    ]
    return onConnections(400, requests, target, signal)
  },
}

const createTasks = async ({ baseUrl, key }: Target, count: number): Promise<void> => {
  const body = { projectId: 'ACME', title: 'x', description: 'x'.repeat(500), labels: ['x'] }
  for (let at = 0; at < count; at += 100) {
    const operations = Array.from({ length: 100 }, () => ({ method: 'POST', path: '/v1/tasks', body }))
    await send(baseUrl, 'POST', '/v1/batch', { key, body: { operations } })
  }
}

const comingAndGoing: Load = {
  name: 'a project of 1,000 tasks that is deleted and restored again and again',
  memoryCeilingBytes: 500e6,
  prepare: async (target) => {
    await createProject(target)
    await createTasks(target, 1_000)
  },
  run: async ({ baseUrl, key }, signal) => {
    while (!signal.aborted) {
      await send(baseUrl, 'DELETE', '/v1/projects/ACME?force=true', { key })
      const [entry] = (await send(baseUrl, 'GET', '/v1/trash?kind=project', { key })).body.data
      if (entry) await send(baseUrl, 'POST', `/v1/trash/${entry.id}/restore`, { key })
    }
  },
}

const slowBodyStepMs = 50

/** Sends the head of a request and then its body byte by byte; a connection that is cut off is opened anew. */
const sendSlowly = async ({ port, key }: Target, signal: AbortSignal): Promise<void> => {
  const bytes = requestOf('POST', '/v1/tasks', key, { projectId: 'ACME', title: 'x'.repeat(400) })
  const bodyStart = bytes.indexOf('\r\n\r\n') + 4
  while (!signal.aborted) {
    const socket = await sendUnread(port, bytes.toString('latin1', 0, bodyStart))
    for (let at = bodyStart; at < bytes.length && !socket.destroyed && !signal.aborted; at++) {
      socket.write(bytes.subarray(at, at + 1))
      await sleep(slowBodyStepMs)
    }
    socket.destroy()
  }
}

const slowBodies: Load = {
  name: 'bodies that arrive byte by byte on 300 connections',
  memoryCeilingBytes: 350e6,
  prepare: createProject,
  run: async (target, signal) => {
    await Promise.all(Array.from({ length: 300 }, () => sendSlowly(target, signal)))
  },
}

const words = distinct(2_000)
const largeText = (seed: number): string => {
  const text = Array.from({ length: 170_000 }, (_, at) => words[(at * (seed + 7)) % words.length]!)
  return text.join(' ').slice(0, 1_000_000)
}

const largeSearches: Load = {
  name: 'searches of 12 items of 1 MB on 24 connections',
  memoryCeilingBytes: 700e6,
  prepare: async ({ baseUrl, key }) => {
    for (let at = 0; at < 12; at++) {
      await send(baseUrl, 'PUT', `/v1/knowledge/large/${at}`, { key, body: { content: largeText(at) } })
    }
    // The first search waits for the index to have them.
    await send(baseUrl, 'GET', '/v1/knowledge/search?q=v1', { key })
  },
  run: (target, signal) => {
    const requests = distinct(50).map((word, at) =>
      requestOf('GET', `/v1/knowledge/search?q=${word}+v${at + 50}+v${at + 100}&limit=100`, target.key),
    )
    return onConnections(24, requests, target, signal)
  },
}

const filterShapes = (): string[] => {
  const filters = [
    ['status', 'todo', 'todo,done', 'todo,in_progress,done'],
    ['priority', 'low', 'low,high'],
    ['label', 'x', 'x,y'],
    ['assignee', 'none'],
    ['ready', 'true', 'false'],
    ['sort', 'createdAt', '-updatedAt', 'priority', '-dueDate'],
  ] as const
  let shapes = ['/v1/tasks?projectId=ACME']
  for (const [name, ...values] of filters) {
    shapes = shapes.flatMap((shape) => [shape, ...values.map((value) => `${shape}&${name}=${value}`)])
  }
  return shapes
}

const manyFilters: Load = {
  name: 'lists with every combination of filters on 16 connections',
  memoryCeilingBytes: 500e6,
  prepare: async (target) => {
    await createProject(target)
    await createTasks(target, 500)
  },
  run: (target, signal) => {
    const requests = filterShapes().map((path) => requestOf('GET', path, target.key))
    return onConnections(16, requests, target, signal)
  },
}

const slowWebhooks: Load = {
  name: '20 webhooks whose receiver never answers',
  memoryCeilingBytes: 350e6,
  environment: { WORKLORE_WEBHOOK_ALLOW: '127.0.0.1/32' },
  prepare: createProject,
  run: async ({ baseUrl, key }, signal) => {
    const receiver = await startReceiver()
    receiver.behave(() => {})
    for (let at = 0; at < 20; at++) {
      await send(baseUrl, 'POST', '/v1/webhooks', { key, body: { url: `${receiver.url}/${at}` } })
    }
    while (!signal.aborted) {
      await send(baseUrl, 'POST', '/v1/tasks', { key, body: { projectId: 'ACME', title: 'x' } })
      await sleep(20)
    }
    await receiver.close()
  },
}

/** Each load runs in the short form with the tests, and longer with `npm run hostile`. */
export const loads: readonly Load[] = [
  pipelineAndLeave,
  unreadDocuments,
  unreadPages,
  worstBodies,
  longPolls,
  flood,
  comingAndGoing,
  slowBodies,
  largeSearches,
  manyFilters,
  slowWebhooks,
]
