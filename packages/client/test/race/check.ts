import assert from 'node:assert/strict'
import type { ChangeEvent } from '../../src/index.js'
import type { JournalEntry } from './journal.js'

export interface RaceFigures {
  tasks: number
  events: number
  claims: number
  expired: number
  handedBack: number
  /** Hand-ins that were too late for their claim. */
  refused: number
  fencedWrites: number
  /** Answers that nothing was ready, each held against the log. */
  nothing: number
}

interface TaskState {
  status: string
  blockedBy: string[]
  resources: string[]
  /** The claim that is held. */
  held: string | undefined
  /** The number of the newest claim. */
  newest: number
  isDelayed: boolean
  doneUnder: string[]
}

const taskOf = (token: string): string => token.slice(0, token.lastIndexOf('.'))
const numberOf = (token: string): number => Number(token.slice(token.lastIndexOf('.') + 1))

const isBelow = (resource: string, folder: string): boolean => folder.endsWith('/') && resource.startsWith(folder)
const overlap = (one: string, other: string): boolean =>
  one === other || one === `${other}/` || other === `${one}/` || isBelow(one, other) || isBelow(other, one)

/**
 * Goes through the event log as it was written and proves, knowing nothing of the service, that no claim was held
 * beside another or beside one with a resource that overlaps, that nothing was written without one, and that each task was done once, after those it waits for.
 */
const replay = (events: readonly ChangeEvent[]) => {
  const tasks = new Map<string, TaskState>()
  const dependents = new Map<string, string[]>()
  const ready = new Set<string>()
  /** Whether a task was ready for certain, after each event. */
  const readyAfter = new Map<number, boolean>()
  /** Resources that claims hold, with their tasks. */
  const reserved = new Map<string, string>()
  const granted = new Set<string>()
  const counts = { claims: 0, expired: 0, handedBack: 0, fencedWrites: 0 }
  let sequence = 0

  const isClosed = (id: string): boolean => ['done', 'cancelled'].includes(tasks.get(id)!.status)
  const isBlocked = ({ blockedBy }: TaskState): boolean => blockedBy.some((id) => !isClosed(id))

  /** A task that holds what another one needs. */
  const holderOf = ({ resources }: TaskState): string | undefined => {
    for (const [held, holder] of reserved) if (resources.some((each) => overlap(each, held))) return holder
    return undefined
  }

  const hold = (task: TaskState, token: string): void => {
    const holder = holderOf(task)
    assert.equal(holder, undefined, `${token} was held beside a claim on ${holder}, with a resource that overlaps`)
    task.held = token
    for (const resource of task.resources) reserved.set(resource, taskOf(token))
  }

  const settle = (id: string): void => {
    const task = tasks.get(id)!
    if (task.status === 'todo' && !task.held && !task.isDelayed && !isBlocked(task)) ready.add(id)
    else ready.delete(id)
  }

  const claim = (task: TaskState, id: string, token: string): void => {
    assert.equal(taskOf(token), id)
    assert.equal(task.held, undefined, `${token} was given out while ${task.held} was held`)
    assert.equal(numberOf(token), task.newest + 1, `${token} does not follow ${id}.${task.newest}`)
    assert.ok(!isClosed(id), `${token} was given out although ${id} was ${task.status}`)
    assert.ok(!isBlocked(task), `${token} was given out although ${id} was blocked`)
    hold(task, token)
    task.newest++
    granted.add(token)
    counts.claims++
  }

  /** A claim that had expired can be taken up again, or handed in, while no other was given out. */
  const endOf = (task: TaskState, id: string): string => {
    const token = task.held ?? `${id}.${task.newest}`
    task.held = undefined
    for (const resource of task.resources) if (reserved.get(resource) === id) reserved.delete(resource)
    return token
  }

  const changed = (event: Extract<ChangeEvent, { type: `task.${string}` }>): void => {
    assert.ok('status' in event.data, `the races move no task: ${event.type}`)
    const { id, status, claim: shown, notBefore } = event.data
    const task = tasks.get(id)!
    if (event.type === 'task.claimed') claim(task, id, shown!.token)
    else if (event.type === 'task.claim_expired') {
      assert.ok(task.held, `the claim on ${id} expired twice`)
      endOf(task, id)
      counts.expired++
    } else if (event.type === 'task.released') {
      const token = endOf(task, id)
      if (status === 'done') {
        assert.ok(task.status !== 'done', `${token} finished ${id}, which was done`)
        task.doneUnder.push(token)
      } else counts.handedBack++
    } else if (event.type === 'task.updated') {
      assert.equal(shown?.token, `${id}.${task.newest}`, `${id} was changed by nobody's claim`)
      assert.equal(task.held, undefined)
      hold(task, shown!.token)
    } else return
    task.status = status
    task.isDelayed = notBefore !== null
  }

  for (const event of events) {
    assert.equal(event.sequence, sequence + 1, 'the log has a gap or a repeat')
    sequence = event.sequence
    if (event.type === 'task.created') {
      const { id, status, blockedBy, resources } = event.data
      tasks.set(id, { status, blockedBy, resources, held: undefined, newest: 0, isDelayed: false, doneUnder: [] })
      for (const blocker of blockedBy) dependents.set(blocker, [...(dependents.get(blocker) ?? []), id])
      settle(id)
    } else if (event.type.startsWith('task.')) {
      const { id } = event.data as { id: string }
      changed(event as never)
      settle(id)
      for (const dependent of dependents.get(id) ?? []) settle(dependent)
    } else if (event.type === 'knowledge.created' || event.type === 'knowledge.updated') {
      const { key, content } = event.data
      if (key.startsWith('work/')) {
        counts.fencedWrites++
        assert.equal(tasks.get(taskOf(content!))!.held, content, `${key} was written without its claim`)
      }
    }
    readyAfter.set(
      sequence,
      [...ready].some((id) => !holderOf(tasks.get(id)!)),
    )
  }
  return { tasks, granted, readyAfter, counts }
}

/** Holds what the agents say against the log: each heard the truth, and of each task one heard that it was done. */
export const checkRace = (events: readonly ChangeEvent[], entries: readonly JournalEntry[]): RaceFigures => {
  const { tasks, granted, readyAfter, counts } = replay(events)
  for (const [id, { status, doneUnder }] of tasks) {
    assert.equal(status, 'done', `${id} was left ${status}`)
    assert.equal(doneUnder.length, 1, `${id} was done ${doneUnder.length} times`)
  }
  const doneUnder = new Set([...tasks.values()].flatMap((task) => task.doneUnder))
  const holders = new Map<string, string>()
  const offered = new Set<string>()
  const accepted = new Set<string>()
  let refused = 0
  let nothing = 0

  for (const entry of entries) {
    if (entry.kind === 'claimed') {
      assert.ok(granted.has(entry.token), `${entry.agent} heard of ${entry.token}, which the log does not know`)
      assert.equal(holders.get(entry.token), undefined, `${entry.token} was given to two agents`)
      holders.set(entry.token, entry.agent)
    } else if (entry.kind === 'nothing') {
      nothing++
      let isTrue = false
      for (let at = entry.after; at <= entry.until && !isTrue; at++) isTrue = readyAfter.get(at) === false
      assert.ok(isTrue, `${entry.agent} heard that nothing was ready, from event ${entry.after} to ${entry.until}`)
    } else {
      assert.equal(holders.get(entry.token), entry.agent, `${entry.agent} worked under ${entry.token} of another`)
      if (entry.kind === 'handing in' && entry.status === 'done') offered.add(entry.token)
      if (entry.kind === 'accepted' && entry.status === 'done') accepted.add(entry.token)
      if (entry.kind === 'refused') {
        refused++
        assert.ok(!doneUnder.has(entry.token), `${entry.token} was refused, and done all the same`)
      }
    }
  }
  for (const token of accepted) assert.ok(doneUnder.has(token), `${token} was accepted, but the log does not know`)
  // An agent that was killed while it handed in did not hear what became of it.
  for (const token of doneUnder) assert.ok(offered.has(token), `nobody handed in ${token}`)
  return { tasks: tasks.size, events: events.length, refused, nothing, ...counts }
}
