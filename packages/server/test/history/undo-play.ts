import { expectStatus } from 'worklore-testing/expect'
import type { Answer, TestTenant } from 'worklore-testing/harness'
import { randomFrom } from 'worklore-testing/random'

/** A change that one of the keys tries to make. */
export interface Move {
  by: number
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: unknown
  /** The records that it is about. */
  about: string[]
  /** What it is called when it makes a comment, or which comment it is about. */
  comment?: string
  /** The record that it brings back from the trash. */
  restores?: string
}

export const players = 3
const projects = ['AAA', 'BBB', 'CCC']
const tasksOfEach = 5
const keys = ['notes/one', 'notes/two', 'guide']

const pick = <T>(random: () => number, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

/** Changes by three keys on few records. Each creates tasks in a project of its own, so that their numbers are known. */
export const movesFrom = (seed: number, count: number): Move[] => {
  const random = randomFrom(seed)
  const created = projects.map(() => 0)
  const comments: { name: string; task: string; by: number }[] = []
  const moves: Move[] = []
  const anyTask = (): string => `${pick(random, projects)}-${1 + Math.floor(random() * tasksOfEach)}`
  const patch = () =>
    pick<() => object>(random, [
      () => ({ title: `Title ${Math.floor(random() * 5)}` }),
      () => ({ status: pick(random, ['todo', 'in_progress', 'done']) }),
      () => ({ labels: [pick(random, ['a', 'b', 'c'])] }),
      () => ({ description: 'x'.repeat(Math.floor(random() * 300)) }),
      () => ({ metadata: { [pick(random, ['m', 'n'])]: pick(random, [1, 2, null]) } }),
      () => ({ blockedBy: [anyTask()] }),
      () => ({ blockedBy: [] }),
    ])()
  const make: readonly ((by: number) => Move | undefined)[] = [
    (by) => {
      if (created[by]! >= tasksOfEach) return undefined
      const task = `${projects[by]}-${++created[by]!}`
      return { by, method: 'POST', path: '/v1/tasks', body: { projectId: projects[by], title: task }, about: [task] }
    },
    ...Array.from({ length: 4 }, () => (by: number): Move => {
      const task = anyTask()
      return { by, method: 'PATCH', path: `/v1/tasks/${task}`, body: patch(), about: [task] }
    }),
    (by) => {
      const task = anyTask()
      return { by, method: 'DELETE', path: `/v1/tasks/${task}`, about: [task] }
    },
    ...Array.from({ length: 2 }, () => (by: number): Move => {
      const key = pick(random, keys)
      const content = `Content ${Math.floor(random() * 4)}`
      return { by, method: 'PUT', path: `/v1/knowledge/${key}`, body: { content }, about: [key] }
    }),
    (by) => {
      const key = pick(random, keys)
      return { by, method: 'DELETE', path: `/v1/knowledge/${key}`, about: [key] }
    },
    (by) => {
      const [from, to] = [pick(random, keys), pick(random, keys)]
      return { by, method: 'POST', path: '/v1/knowledge/move', body: { from, to }, about: [from, to] }
    },
    (by) => {
      const task = anyTask()
      const comment = `comment ${comments.length}`
      comments.push({ name: comment, task, by })
      const path = `/v1/tasks/${task}/comments`
      return { by, method: 'POST', path, body: { body: `Says ${by}` }, about: [task, comment], comment }
    },
    (by) => {
      const own = comments.filter((comment) => comment.by === by)
      if (own.length === 0) return undefined
      const { name, task } = pick(random, own)
      const path = `/v1/tasks/${task}/comments/@`
      return random() < 0.5
        ? { by, method: 'PATCH', path, body: { body: `Now ${random()}` }, about: [task, name], comment: name }
        : { by, method: 'DELETE', path, about: [task, name], comment: name }
    },
    (by) => {
      const [one, other] = [anyTask(), anyTask()]
      const operations = [one, other].map((task) => ({ method: 'PATCH', path: `/v1/tasks/${task}`, body: patch() }))
      return { by, method: 'POST', path: '/v1/batch', body: { operations }, about: [one, other] }
    },
    (by) => {
      const task = anyTask()
      return { by, method: 'POST', path: `/v1/tasks/${task}/claim`, body: {}, about: [task] }
    },
    (by) => {
      const restores = pick(random, [anyTask(), pick(random, keys)])
      return { by, method: 'POST', path: '/v1/trash/@/restore', about: [restores], restores }
    },
  ]
  // A few tasks of each to begin with.
  for (const by of projects.keys()) for (let at = 0; at < 3; at++) moves.push(make[0]!(by)!)
  while (moves.length < count) {
    const move = pick(random, make)(Math.floor(random() * players))
    if (move) moves.push(move)
  }
  return moves
}

type Fields = Record<string, unknown>

/** A tenant with three keys that play. */
export interface Stage {
  adminKey: string
  keyIds: string[]
  /** Makes a move; answers the status, and by how many versions each record that it is about has changed. */
  play(move: Move): Promise<string>
  /** Every record as it is, without what differs from tenant to tenant; null for one that is gone. */
  records(): Promise<Record<string, Fields | null>>
  /** The tasks that are claimed. */
  claimed(): Promise<ReadonlySet<string>>
  /** How the moves call a record of a report. */
  nameOf(ref: { task?: string; comment?: string; knowledge?: string }): string
}

export const setStage = async (wl: TestTenant, adminKey: string): Promise<Stage> => {
  const admin = { key: adminKey }
  for (const key of projects) expectStatus(await wl.post('/v1/projects', { key, name: key }, admin), 201)
  const made: Fields[] = []
  for (let at = 0; at < players; at++) {
    const scopes = ['tasks:write', 'knowledge:write']
    made.push((await wl.post('/v1/keys', { name: `player ${at}`, scopes }, admin)).body.data)
  }
  const commentIds = new Map<string, string>()
  const entryOf = async (record: string): Promise<string> => {
    const entries = (await wl.get('/v1/trash?limit=100', admin)).body.data as Record<string, string>[]
    return (
      entries.find(({ task, knowledge, kind }) => kind !== 'comment' && (task ?? knowledge) === record)?.id ??
      'tra_none'
    )
  }
  const versionOf = async (name: string): Promise<number> => {
    const path = keys.includes(name) ? `/v1/knowledge/${name}` : `/v1/tasks/${name}`
    return (await wl.get(path, admin)).body.data?.version ?? 0
  }
  const versionsOf = ({ about, comment }: Move) =>
    Promise.all(about.filter((name) => name !== comment).map((name) => versionOf(name)))
  const play = async (move: Move): Promise<string> => {
    const before = await versionsOf(move)
    const id = move.restores ? await entryOf(move.restores) : (commentIds.get(move.comment ?? '') ?? 'cmt_none')
    const options = { key: String(made[move.by]!.key), ...(move.body !== undefined && { body: move.body }) }
    const answer: Answer = await wl.request(move.method, move.path.replace('@', id), options)
    if (answer.status >= 500) throw new Error(answer.text)
    if (answer.status === 201 && move.comment) commentIds.set(move.comment, answer.body.data.id)
    const after = await versionsOf(move)
    // A record that comes or goes does so in the version that it has, which differs from tenant to tenant.
    const steps = after.map((version, at) => (version && before[at] ? version - before[at] : Math.sign(version)))
    return [answer.status, ...steps].join(' ')
  }
  const records = async () => {
    const found: Record<string, Fields | null> = {}
    const note = (name: string, { status, body }: Answer) => {
      if (status !== 200) {
        found[name] = null
        return
      }
      const { version, createdAt, updatedAt, createdBy, updatedBy, projectId, id, ...rest } = body.data
      const { claim, openBlockers, children, commentCount, openQuestions, stale, rank, ...fields } = rest
      found[name] = fields
    }
    for (const project of projects) {
      for (let at = 1; at <= tasksOfEach; at++)
        note(`${project}-${at}`, await wl.get(`/v1/tasks/${project}-${at}`, admin))
    }
    for (const key of keys) note(key, await wl.get(`/v1/knowledge/${key}`, admin))
    for (const [name, id] of commentIds) {
      const task = taskOfComment.get(name)!
      note(name, await wl.get(`/v1/tasks/${task}/comments/${id}`, admin))
    }
    return found
  }
  const claimed = async () => {
    const tasks = (await wl.get('/v1/tasks?claimed=true&limit=100', admin)).body.data as { id: string }[]
    return new Set(tasks.map(({ id }) => id))
  }
  const taskOfComment = new Map<string, string>()
  const nameOf: Stage['nameOf'] = ({ task, comment, knowledge }) => {
    if (!comment) return (task ?? knowledge)!
    return [...commentIds].find(([, id]) => id === comment)?.[0] ?? comment
  }
  return {
    adminKey,
    keyIds: made.map(({ id }) => String(id)),
    play: (move) => {
      if (move.comment) taskOfComment.set(move.comment, move.about[0]!)
      return play(move)
    },
    records,
    claimed,
    nameOf,
  }
}
