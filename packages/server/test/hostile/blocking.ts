import assert from 'node:assert/strict'
import type { Answer } from 'worklore-testing/harness'
import type { BlockingMeter } from './blocked.js'

type Send = BlockingMeter['send']

/** Requests that are as much work as the limits of the service allow, and those that ask for more. */
export interface Shape {
  name: string
  /** Makes the records that they need; answers how to send them, which can be done again. */
  prepare(send: Send): Promise<(round: number) => Promise<void>>
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

const expectDone = (answer: Answer): void => assert.ok(answer.status < 300, answer.text.slice(0, 500))

const expectRefused = ({ status, body, text }: Answer, reason: string): void =>
  assert.deepEqual([status, body?.error?.reason], [409, reason], text.slice(0, 500))

const runBatches = async (send: Send, operations: readonly object[], perBatch = 100): Promise<void> => {
  for (let at = 0; at < operations.length; at += perBatch) {
    expectDone(await send('POST', '/v1/batch', { operations: operations.slice(at, at + perBatch) }))
  }
}

const newTask = (projectId: string, fields: object = {}) => ({
  method: 'POST',
  path: '/v1/tasks',
  body: { projectId, title: 'x', description: 'd'.repeat(500), ...fields },
})

const newProject = async (send: Send, key: string): Promise<void> =>
  expectDone(await send('POST', '/v1/projects', { key, name: key }))

const move = (from: string, to: string) => ({ from, to, recursive: true })

const diffs: Shape = {
  name: 'the history of a note of 500,000 lines',
  prepare: async (send) => {
    for (const letter of 'abc') {
      expectDone(await send('PUT', '/v1/knowledge/lines', { content: `x\n${letter}\n`.repeat(250_000) }))
    }
    return async () => {
      const { body } = await send('GET', '/v1/history?knowledge=lines')
      assert.match(body.data[0].changes.content.diff, /^@@ -1,500000 \+1,500000 @@\n-x\n-b\n/)
    }
  },
}

const comparedTexts: Shape = {
  name: 'the history of a note of 10,000 lines of which a thousand differ here and there',
  prepare: async (send) => {
    for (const letter of 'abc') {
      const lines = times(9_900, (at) => (at % 20 === 0 ? letter : String(at % 7)))
      expectDone(await send('PUT', '/v1/knowledge/some-lines', { content: lines.join('\n') }))
    }
    return async () => expectDone(await send('GET', '/v1/history?knowledge=some-lines'))
  },
}

const wholeTexts: Shape = {
  name: 'the whole history of a note of a megabyte that is escaped in JSON',
  prepare: async (send) => {
    for (const letter of 'abcd') {
      expectDone(await send('PUT', '/v1/knowledge/escaped', { content: `${letter}${'"\n'.repeat(500_000)}` }))
    }
    return async () => expectDone(await send('GET', '/v1/history?knowledge=escaped&full=true'))
  },
}

const largeNotes: Shape = {
  name: 'undo and moves of 30 notes of 600 kB',
  prepare: async (send) => {
    for (let at = 0; at < 30; at++) {
      expectDone(await send('PUT', `/v1/knowledge/large/${at}`, { content: 'a\n'.repeat(300_000) }))
    }
    const { body } = await send('GET', '/v1/me')
    const since = new Date(Date.now() - 600_000).toISOString()
    return async () => {
      const answer = await send('POST', '/v1/undo', { keyId: body.data.key.id, since, dryRun: true })
      expectDone(answer)
      assert.ok(answer.body.data.nextCursor)
      expectRefused(await send('POST', '/v1/knowledge/move', move('large', 'larger')), 'size')
    }
  },
}

const manyNotes: Shape = {
  name: 'moves of 1,000 notes',
  prepare: async (send) => {
    const note = (at: number) => ({
      method: 'PUT',
      path: `/v1/knowledge/n0/${at}`,
      body: { content: 'x'.repeat(1_000) },
    })
    await runBatches(send, times(1_000, note))
    return async (round) => {
      expectDone(await send('POST', '/v1/knowledge/move', move(`n${round}`, `n${round + 1}`)))
      const moves = times(10, (at) => ({
        method: 'POST',
        path: '/v1/knowledge/move',
        body: move(`n${round + 1 + at}`, `n${round + 2 + at}`),
      }))
      const refused = await send('POST', '/v1/batch', { operations: moves })
      expectRefused(refused, 'size')
      assert.ok(refused.body.error.index > 0)
    }
  },
}

const tree: Shape = {
  name: 'a tree of 990 tasks, blocked and unblocked, deleted and restored',
  prepare: async (send) => {
    await newProject(send, 'TREE')
    await runBatches(send, [newTask('TREE'), newTask('TREE', { blockedBy: ['TREE-1'] })])
    await runBatches(
      send,
      times(990, () => newTask('TREE', { parentId: 'TREE-2' })),
    )
    return async () => {
      for (const status of ['done', 'todo']) expectDone(await send('PATCH', '/v1/tasks/TREE-1', { status }))
      const toggles = times(100, (at) => ({
        method: 'PATCH',
        path: '/v1/tasks/TREE-1',
        body: { status: at % 2 === 0 ? 'done' : 'todo' },
      }))
      expectRefused(await send('POST', '/v1/batch', { operations: toggles }), 'size')
      expectDone(await send('DELETE', '/v1/tasks/TREE-2?force=true'))
      const { body } = await send('GET', '/v1/trash?kind=task&limit=1')
      expectDone(await send('POST', `/v1/trash/${body.data[0].id}/restore`, {}))
    }
  },
}

const dependents: Shape = {
  name: 'a task that blocks 1,000 others, closed, deleted and restored',
  prepare: async (send) => {
    await newProject(send, 'MANY')
    await runBatches(send, [newTask('MANY')])
    await runBatches(
      send,
      times(1_000, () => newTask('MANY', { blockedBy: ['MANY-1'] })),
    )
    return async () => {
      for (const status of ['done', 'todo']) expectDone(await send('PATCH', '/v1/tasks/MANY-1', { status }))
      expectDone(await send('DELETE', '/v1/tasks/MANY-1'))
      const { body } = await send('GET', '/v1/trash?kind=task&limit=1')
      expectDone(await send('POST', `/v1/trash/${body.data[0].id}/restore`, {}))
    }
  },
}

const graph: Shape = {
  name: 'links of tasks with 50 blockers each, and the cycles that they would make',
  prepare: async (send) => {
    await newProject(send, 'GRAPH')
    // Each waits for the fifty before it.
    const blockersOf = (at: number): string[] => times(Math.min(50, at), (back) => `GRAPH-${at - back}`)
    await runBatches(
      send,
      times(200, (at) => newTask('GRAPH', { blockedBy: blockersOf(at) })),
      20,
    )
    const link = (from: number, to: number) => send('PATCH', `/v1/tasks/GRAPH-${from}`, { blockedBy: [`GRAPH-${to}`] })
    await runBatches(send, [newTask('GRAPH')])
    return async (round) => {
      expectRefused(await link(1, 140), 'cycle')
      expectRefused(await link(1, 200), 'depth')
      expectDone(await link(201, 140 - round))
      const relinks = (count: number) =>
        times(count, (at) => ({
          method: 'PATCH',
          path: '/v1/tasks/GRAPH-201',
          body: { blockedBy: [`GRAPH-${120 + at}`] },
        }))
      expectRefused(await send('POST', '/v1/batch', { operations: relinks(40) }), 'size')
    }
  },
}

const largeBatch: Shape = {
  name: 'a batch of 100 tasks of 12 kB with 50 blockers each, which is refused',
  prepare: async (send) => {
    await newProject(send, 'PLAN')
    return async () => {
      const operations = times(100, (at) => ({
        ...newTask('PLAN', {
          description: 'd\n'.repeat(6_000),
          blockedBy: times(Math.min(50, at), (back) => `@n${at - 1 - back}`),
        }),
        as: `n${at}`,
      }))
      expectRefused(await send('POST', '/v1/batch', { operations }), 'size')
    }
  },
}

export const shapes: readonly Shape[] = [
  ...[diffs, comparedTexts, wholeTexts, largeNotes, manyNotes, tree, dependents, graph, largeBatch],
]
