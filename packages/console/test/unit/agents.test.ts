import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ApiKey, UsageRow, User } from 'worklore-client'
import { type AgentState, deriveAgents } from '../../src/agents/derive'
import { failureShare, finishedPerHour, rateText, refusalsOf, refusedTotal, shareText } from '../../src/agents/health'
import { silentClaimsOf } from '../../src/agents/silent'
import { nextSort, sortAgents, sortOf } from '../../src/agents/sort'
import type { Activity } from '../../src/store/activity'
import { exampleCard, exampleClaim } from './cards'

const nowMs = Date.parse('2026-01-01T00:30:00Z')
const fresh = '2026-01-01T00:29:00Z'
const hourMs = 3_600_000

const keyWith = (fields: Partial<ApiKey>): ApiKey =>
  ({ name: 'atlas', scopes: ['tasks:write'], userId: null, lastUsedAt: null, ...fields }) as ApiKey

const derive = (given: Partial<Parameters<typeof deriveAgents>[0]>): ReturnType<typeof deriveAgents> =>
  deriveAgents({ cards: [], activity: [], keys: [], usage: [], userOf: () => undefined, nowMs, ...given })

const states = (agents: ReturnType<typeof deriveAgents>): [string, AgentState][] =>
  agents.map(({ keyId, state }) => [keyId, state])

describe('the state of an agent', () => {
  it('follows from the last sign of life of what it holds', () => {
    const cards = [
      exampleCard('A-1', { claim: exampleClaim({ keyId: 'key_fresh', renewedAt: fresh }) }),
      exampleCard('A-2', { claim: exampleClaim({ keyId: 'key_silent' }) }),
      exampleCard('A-3', { claim: exampleClaim({ keyId: 'key_ended', expiresAt: '2026-01-01T00:29:59Z' }) }),
    ]
    assert.deepEqual(states(derive({ cards })), [
      ['key_silent', 'silent'],
      ['key_fresh', 'working'],
    ])
  })

  it('is taken from its workers, each by its own claims', () => {
    const cards = [
      exampleCard('A-1', { claim: exampleClaim({ worker: 'w-2', renewedAt: fresh }) }),
      exampleCard('A-2', { claim: exampleClaim({ worker: 'w-1' }) }),
    ]
    const [agent] = derive({ cards })
    assert.equal(agent!.state, 'working')
    assert.deepEqual(
      agent!.workers.map(({ name, state }) => [name, state]),
      [
        ['w-1', 'silent'],
        ['w-2', 'working'],
      ],
    )
  })

  it('is waiting while a request waits for a task, and paused whatever it does', () => {
    const usage = [
      {
        keyId: 'key_1',
        waitsUntil: '2026-01-01T00:31:00Z',
        changes: 0,
        claims: { ended: 0 },
        workers: [],
        recentChanges: [],
      } as unknown as UsageRow,
    ]
    const keys = [keyWith({ id: 'key_1', lastUsedAt: fresh })]
    assert.deepEqual(states(derive({ usage, keys })), [['key_1', 'waiting']])
    const paused = [keyWith({ id: 'key_1', lastUsedAt: fresh, paused: { at: fresh } as unknown as ApiKey['paused'] })]
    assert.deepEqual(states(derive({ usage, keys: paused })), [['key_1', 'paused']])
  })

  it('is shown for agents that did something today, not for people or admins who hold nothing', () => {
    const activity = [
      { keyId: 'key_agent', keyName: 'agent', userId: null, atMs: nowMs - hourMs },
      { keyId: 'key_old', keyName: 'old', userId: null, atMs: nowMs - 25 * hourMs },
      { keyId: 'key_admin', keyName: 'admin', userId: null, atMs: nowMs },
      { keyId: 'key_ada', keyName: 'ada', userId: 'usr_ada', atMs: nowMs },
      { keyId: 'service', keyName: 'service', userId: null, atMs: nowMs },
    ] as Activity[]
    const keys = [keyWith({ id: 'key_admin', scopes: ['admin'] })]
    const userOf = (id: string) => (id === 'usr_ada' ? ({ name: 'Ada', kind: 'human' } as User) : undefined)
    assert.deepEqual(states(derive({ activity, keys, userOf })), [['key_agent', 'idle']])
  })
})

describe('silent claims', () => {
  it('are those without a sign of life, the longest silent first', () => {
    const cards = [
      exampleCard('A-1', { claim: exampleClaim({ renewedAt: '2026-01-01T00:10:00Z', keyId: 'key_2' }) }),
      exampleCard('A-2', { claim: exampleClaim() }),
      exampleCard('A-3', { claim: exampleClaim({ renewedAt: fresh, keyId: 'key_3' }) }),
    ]
    const ids = silentClaimsOf(cards, [], nowMs).map(({ card }) => card.id)
    assert.deepEqual(ids, ['A-2', 'A-1'])
  })

  it('are kept alive by what their key does, unless they name a worker', () => {
    const activity = [{ keyId: 'key_1', keyName: 'atlas', userId: null, atMs: nowMs }] as Activity[]
    const cards = [
      exampleCard('A-1', { claim: exampleClaim() }),
      exampleCard('A-2', { claim: exampleClaim({ worker: 'w-1' }) }),
    ]
    const ids = silentClaimsOf(cards, activity, nowMs).map(({ card }) => card.id)
    assert.deepEqual(ids, ['A-2'])
  })
})

describe('figures of an agent', () => {
  const claims = { ended: 10, finished: 6, released: 1, expired: 3, medianSeconds: 90 }

  it('are rates and shares, or nothing where nothing ended', () => {
    const usage = { claims, firstAt: '2025-12-31T22:30:00Z' } as Parameters<typeof finishedPerHour>[0]
    assert.equal(finishedPerHour(usage, 24 * hourMs, nowMs), 3)
    assert.equal(finishedPerHour({ ...usage, firstAt: fresh }, 24 * hourMs, nowMs), 6)
    assert.equal(finishedPerHour({ ...usage, firstAt: null }, 2 * hourMs, nowMs), 3)
    assert.equal(shareText(failureShare(usage as Parameters<typeof failureShare>[0])), '40%')
    assert.equal(shareText(failureShare({ claims: { ...claims, ended: 0 } } as never)), '–')
    assert.deepEqual([0.001, 0.25, 3.14, 12.6].map(rateText), ['< 0.01', '0.25', '3.1', '13'])
  })

  it('name refusals by status, the most frequent first', () => {
    const usage = { refused: { 409: 2, 429: 5, 418: 1 } } as unknown as Parameters<typeof refusalsOf>[0]
    assert.deepEqual(
      refusalsOf(usage).map(({ status, name, count }) => [status, name, count]),
      [
        ['429', 'over a rate limit', 5],
        ['409', 'conflict', 2],
        ['418', 'refused', 1],
      ],
    )
    assert.equal(refusedTotal(usage), 8)
  })
})

describe('the order of agents', () => {
  const agents = derive({
    cards: ['key_2', 'key_10', 'key_1'].map((keyId, at) =>
      exampleCard(`A-${at}`, { claim: exampleClaim({ keyId, keyName: keyId, renewedAt: fresh }) }),
    ),
    usage: [
      { keyId: 'key_2', refused: { 409: 1 }, claims: {}, workers: [] } as unknown as UsageRow,
      { keyId: 'key_10', refused: { 409: 4 }, claims: {}, workers: [] } as unknown as UsageRow,
    ],
  })
  const order = (sort: string | undefined): string[] =>
    sortAgents(agents, sortOf(sort), hourMs, nowMs).map(({ keyId }) => keyId)

  it('is by need, by name in natural order, or by a figure with unknown ones last', () => {
    assert.deepEqual(order(undefined), ['key_1', 'key_2', 'key_10'])
    assert.deepEqual(order('-name'), ['key_10', 'key_2', 'key_1'])
    assert.deepEqual(order('refused'), ['key_2', 'key_10', 'key_1'])
    assert.deepEqual(order('-refused'), ['key_10', 'key_2', 'key_1'])
    assert.deepEqual(order('nonsense'), order(undefined))
  })

  it('turns round when the same field is chosen again', () => {
    assert.equal(nextSort(sortOf(undefined), 'name'), 'name')
    assert.equal(nextSort(sortOf('name'), 'name'), '-name')
    assert.equal(nextSort(sortOf(undefined), 'refused'), '-refused')
    assert.equal(nextSort(sortOf('-refused'), 'refused'), 'refused')
    assert.equal(nextSort(sortOf('refused'), 'state'), undefined)
  })
})
