import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeEvent } from '../../src/index.js'
import { checkRace } from './check.js'
import type { JournalEntry } from './journal.js'

type Step = [type: string, id: string, more?: object]

const logOf = (steps: Step[]): ChangeEvent[] =>
  steps.map(([type, id, more = {}], index) => ({
    sequence: index + 1,
    type,
    data: { id, status: 'todo', blockedBy: [], resources: [], claim: null, notBefore: null, ...more },
  })) as never

const created = (id: string, blockedBy: string[] = []): Step => ['task.created', id, { blockedBy }]
const needing = (id: string, ...resources: string[]): Step => ['task.created', id, { resources }]
const claimed = (id: string, number: number): Step => [
  'task.claimed',
  id,
  { status: 'in_progress', claim: { token: `${id}.${number}` } },
]
const done = (id: string): Step => ['task.released', id, { status: 'done' }]
const expired = (id: string): Step => ['task.claim_expired', id]
const wrote = (id: string, token: string): Step => ['knowledge.created', '', { key: `work/${id}`, content: token }]

const heard = (agent: string, token: string): JournalEntry[] => [
  { kind: 'claimed', agent, token },
  { kind: 'handing in', agent, token, status: 'done' },
]
const accepted = (agent: string, token: string): JournalEntry[] => [
  ...heard(agent, token),
  { kind: 'accepted', agent, token, status: 'done' },
]

const one = [created('A-1'), claimed('A-1', 1), done('A-1')]

describe('the check of a race', () => {
  it('accepts a good run, a late hand-in and an agent that did not hear of its success', () => {
    const log = logOf([created('A-1'), created('A-2', ['A-1']), claimed('A-1', 1), expired('A-1'), done('A-1'),
      claimed('A-2', 1), wrote('A-2', 'A-2.1'), done('A-2')]) // biome-ignore format: one run, one line
    const figures = checkRace(log, [
      ...accepted('a', 'A-1.1'),
      { kind: 'nothing', agent: 'b', after: 6, until: 6 },
      ...heard('b', 'A-2.1'),
    ])
    assert.deepEqual([figures.claims, figures.expired, figures.fencedWrites, figures.nothing], [2, 1, 1, 1])
  })

  it('counts a task whose resource is reserved as not ready', () => {
    const log = logOf([needing('A-1', 'src'), needing('A-2', 'src/'), claimed('A-1', 1), done('A-1'),
      claimed('A-2', 1), done('A-2')]) // biome-ignore format: one run, one line
    const nothing = (at: number): JournalEntry[] => [{ kind: 'nothing', agent: 'b', after: at, until: at }]
    const entries = [...accepted('a', 'A-1.1'), ...accepted('b', 'A-2.1')]
    assert.equal(checkRace(log, [...nothing(3), ...entries]).nothing, 1)
    assert.throws(() => checkRace(log, [...nothing(4), ...entries]), /nothing was ready/)
  })

  const faults: [name: string, steps: Step[], entries: JournalEntry[], message: RegExp][] = [
    ['a claim beside another', [created('A-1'), claimed('A-1', 1), claimed('A-1', 2)], [], /while A-1\.1 was held/],
    ['a number used twice', [created('A-1'), claimed('A-1', 1), expired('A-1'), claimed('A-1', 1)], [], /not follow/],
    ['a claim of blocked work', [created('A-1'), created('A-2', ['A-1']), claimed('A-2', 1)], [], /blocked/],
    [
      'two claims that overlap in a resource',
      [needing('A-1', 'src/'), needing('A-2', 'docs/a', 'src/b'), claimed('A-1', 1), claimed('A-2', 1)],
      [],
      /A-2\.1 was held beside a claim on A-1/,
    ],
    ['a claim of finished work', [...one, claimed('A-1', 2)], [], /was done/],
    ['work done twice', [...one, done('A-1')], [], /which was done/],
    ['work left', [created('A-1')], [], /left todo/],
    ['a write after the claim', [...one, wrote('A-1', 'A-1.1')], [], /without its claim/],
    ['one claim for two agents', one, [...accepted('a', 'A-1.1'), ...heard('b', 'A-1.1')], /two agents/],
    ['a success that was not', one, accepted('a', 'A-1.2'), /does not know/],
    ['work that nobody handed in', one, [{ kind: 'claimed', agent: 'a', token: 'A-1.1' }], /nobody handed in/],
    [
      'a refusal that was none',
      one,
      [...heard('a', 'A-1.1'), { kind: 'refused', agent: 'a', token: 'A-1.1' }],
      /refused/,
    ],
    ['"nothing" while there was', one, [{ kind: 'nothing', agent: 'a', after: 1, until: 1 }], /nothing was ready/],
  ]
  for (const [name, steps, entries, message] of faults) {
    it(`finds ${name}`, () => assert.throws(() => checkRace(logOf(steps), entries), message))
  }

  it('finds a gap in the log', () => {
    assert.throws(() => checkRace(logOf(one).slice(1), []), /gap/)
  })
})
