import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import type { TestTenant } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { randomFrom } from 'worklore-testing/random'
import { describeTenant } from 'worklore-testing/service-suite'

const keys = ['a', 'b', 'c', 'notes/d']

type Step =
  | { put: string; content: string }
  | { delete: string }
  | { move: string; to: string }
  /** Brings the newest deleted item of a key back. */
  | { restore: string }

/** A tenant with an admin, and with two agents that change a few items. */
const setStage = async (wl: TestTenant) => {
  const admin = await addTenant(wl)
  const agents: { id: string; key: string }[] = []
  for (const name of ['one', 'two']) {
    agents.push((await wl.post('/v1/keys', { name, scopes: ['knowledge:write'] }, { key: admin })).body.data)
  }
  const act = async (step: Step, key: string): Promise<number> => {
    if ('put' in step) return (await wl.put(`/v1/knowledge/${step.put}`, { content: step.content }, { key })).status
    if ('delete' in step) return (await wl.delete(`/v1/knowledge/${step.delete}`, { key })).status
    if ('move' in step) return (await wl.post('/v1/knowledge/move', { from: step.move, to: step.to }, { key })).status
    const entries = (await wl.get('/v1/trash?kind=knowledge', { key })).body.data as { id: string; knowledge: string }[]
    const id = entries.find(({ knowledge }) => knowledge === step.restore)?.id ?? 'tra_none'
    return (await wl.post(`/v1/trash/${id}/restore`, undefined, { key })).status
  }
  return {
    admin,
    agents,
    act,
    contents: async (): Promise<Record<string, string>> => {
      const found: Record<string, string> = {}
      for (const key of keys) {
        const { status, body } = await wl.get(`/v1/knowledge/${key}`, { key: admin })
        if (status === 200) found[key] = body.data.content
      }
      return found
    },
    undo: async (body: object, requestId: string) => {
      const headers = { 'x-request-id': requestId }
      const answer = await wl.post('/v1/undo', { ...body, dryRun: false }, { key: admin, headers })
      expectStatus(answer, 200)
      assert.equal(answer.body.data.nextCursor, null)
      return answer.body.data
    },
  }
}

const randomSteps = (seed: number, count: number): Step[] => {
  const random = randomFrom(seed)
  const pick = () => keys[Math.floor(random() * keys.length)]!
  return Array.from({ length: count }, (_, at): Step => {
    const kind = random()
    if (kind < 0.5) return { move: pick(), to: pick() }
    if (kind < 0.7) return { put: pick(), content: `Content ${at}` }
    return kind < 0.9 ? { delete: pick() } : { restore: pick() }
  })
}

describeTenant('undo of moved knowledge', (wl) => {
  for (const [name, steps, undone] of [
    [
      'a swap',
      [
        { move: 'a', to: 'c' },
        { move: 'b', to: 'a' },
        { move: 'c', to: 'b' },
      ],
      2,
    ],
    [
      'a move there and back',
      [
        { move: 'a', to: 'c' },
        { move: 'c', to: 'a' },
      ],
      0,
    ],
    [
      'moves on and on',
      [
        { move: 'a', to: 'c' },
        { move: 'c', to: 'notes/d' },
      ],
      1,
    ],
    [
      'a move and a new item where it was',
      [
        { move: 'a', to: 'c' },
        { put: 'a', content: 'New' },
      ],
      2,
    ],
    ['a move to where another was deleted', [{ delete: 'a' }, { move: 'b', to: 'a' }, { put: 'b', content: 'New' }], 3],
    [
      'a move of an edited item that was then deleted',
      [{ put: 'a', content: 'Edited' }, { move: 'a', to: 'c' }, { delete: 'c' }],
      1,
    ],
    ['a move whose place was used again', [{ move: 'a', to: 'c' }, { delete: 'c' }, { put: 'c', content: 'New' }], 2],
  ] as [string, Step[], number][]) {
    it(`takes back ${name}`, async () => {
      const { agents, act, contents, undo } = await setStage(wl)
      const [one, two] = agents
      await act({ put: 'a', content: 'A' }, two!.key)
      await act({ put: 'b', content: 'B' }, two!.key)
      for (const step of steps) assert.ok((await act(step, one!.key)) < 300, JSON.stringify(step))
      const report = await undo({ keyId: one!.id }, 'undo')
      assert.deepEqual(await contents(), { a: 'A', b: 'B' })
      assert.deepEqual(report.conflicts, [])
      assert.equal(report.undone.length, undone, JSON.stringify(report.undone))
    })
  }

  it('reports a moved item that somebody else changed, wherever it is', async () => {
    for (const steps of [
      [{ put: 'c', content: 'By two' }],
      [{ move: 'c', to: 'notes/d' }],
      [{ delete: 'c' }],
    ] as Step[][]) {
      const { agents, act, contents, undo } = await setStage(wl)
      const [one, two] = agents
      await act({ put: 'a', content: 'A' }, two!.key)
      await act({ move: 'a', to: 'c' }, one!.key)
      for (const step of steps) assert.ok((await act(step, two!.key)) < 300)
      const before = await contents()
      const report = await undo({ keyId: one!.id }, 'undo')
      assert.ok(report.conflicts.length > 0, JSON.stringify(steps))
      for (const { reason, change, laterChange } of report.conflicts) {
        const names = [change, laterChange].map(({ actor }) => actor.keyName)
        assert.deepEqual([reason, ...names], ['changed', 'one', 'two'])
        assert.ok(change.sequence < laterChange.sequence)
      }
      assert.deepEqual(await contents(), before)
      await undo({ keyId: one!.id, includeConflicts: true }, 'forced')
      assert.deepEqual(await contents(), { a: 'A' }, JSON.stringify(steps))
    }
  })

  it('reports a moved item whose key another one has since', async () => {
    const { agents, act, contents, undo } = await setStage(wl)
    const [one, two] = agents
    await act({ put: 'a', content: 'A' }, two!.key)
    await act({ move: 'a', to: 'c' }, one!.key)
    await act({ put: 'a', content: 'By two' }, two!.key)
    for (const includeConflicts of [false, true]) {
      const { conflicts } = await undo({ keyId: one!.id, includeConflicts }, `undo-${includeConflicts}`)
      assert.deepEqual(
        conflicts.map(({ knowledge, reason }: Record<string, string>) => [knowledge, reason]),
        [['c', 'refused']],
      )
      assert.deepEqual(await contents(), { a: 'By two', c: 'A' })
    }
  })

  it('keeps what somebody else changed before the move', async () => {
    const { agents, act, contents, undo } = await setStage(wl)
    const [one, two] = agents
    await act({ put: 'a', content: 'A' }, one!.key)
    await act({ put: 'a', content: 'By two' }, two!.key)
    await act({ move: 'a', to: 'b' }, one!.key)
    assert.equal((await undo({ keyId: one!.id }, 'undo')).conflicts.length, 1)
    assert.deepEqual(await contents(), { b: 'By two' })
  })

  for (const seed of (process.env.UNDO_SEEDS ?? '1,2,3,4,5,6,7,8').split(',').map(Number)) {
    it(`leaves every key as it was, and can be undone (seed ${seed})`, async () => {
      const { agents, act, contents, undo } = await setStage(wl)
      const [one, two] = agents
      for (const key of keys.slice(0, 3)) await act({ put: key, content: key.toUpperCase() }, two!.key)
      await act({ delete: 'c' }, two!.key)
      const before = await contents()
      for (const step of randomSteps(seed, 25)) await act(step, one!.key)
      const changed = await contents()
      assert.deepEqual((await undo({ keyId: one!.id }, 'undo')).conflicts, [])
      assert.deepEqual(await contents(), before)
      assert.deepEqual((await undo({ requestId: 'undo' }, 'redo')).conflicts, [])
      assert.deepEqual(await contents(), changed)
    })
  }
})
