import assert from 'node:assert/strict'
import type { Answer, TestService } from 'worklore-testing/harness'
import {
  createReference,
  isClosed,
  isLive,
  needsSame,
  type Reference,
  type ReferenceTask,
  readTables,
  type Tables,
} from './reference.js'

/** One thing to do; the numbers choose what of that which exists. */
export interface Step {
  kind: StepKind
  actor: number
  numbers: readonly number[]
}

export const stepKinds = [
  'create',
  'create',
  'create',
  'claim',
  'claim',
  'next',
  'next',
  'next',
  'renew',
  'release',
  'release',
  'setStatus',
  'setStatus',
  'setBlockers',
  'setBlockers',
  'setParent',
  'setParent',
  'setFields',
  'setFields',
  'delete',
  'comment',
  'ask',
  'ask',
  'answer',
  'answer',
  'withdraw',
  'setMaxAttempts',
  'passTime',
  'passTime',
  'writeUnderClaim',
  'batch',
  'revokeKey',
  'deleteProject',
] as const
type StepKind = (typeof stepKinds)[number]

export const actorCount = 20
/** More are deleted again, so that a recount stays quick. */
const maxTasks = 60

const priorities = ['low', 'medium', 'high', 'urgent'] as const
const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled'] as const
const released = ['todo', 'in_review', 'done', 'cancelled'] as const
const labels = ['api', 'docs', 'ui'] as const
const resources = ['web/', 'web/a', 'web', 'web/a/', 'web-a', 'web/b/c', 'web/'] as const
const projectKeys = ['AAA', 'BBB', 'CCC'] as const
const times = [3_000, 11_000, 40_000, 200_000, 4_000_000]

interface ActorKey {
  id: string
  secret: string
  userId: string | null
  projectIds: string[] | null
  isAdmin: boolean
}

interface Sent {
  method: string
  path: string
  body?: unknown
  claim?: string
}

interface Token {
  token: string
  taskId: string
  keyId: string
}

/** Whether a claim can still be renewed or released: nobody has claimed the task or changed its status since. */
interface Held {
  keyId: string
  isOver: boolean
}

/** Plays random work of many actors in a tenant of its own, each answer and all tables held against a recount. */
export const createWorkSession = (wl: TestService, secret: string) => {
  const { db, clock } = wl.service.core
  const actors: ActorKey[] = []
  const tokens: Token[] = []
  const held = new Map<string, Held>()
  const projectIds: string[] = []
  const userIds: string[] = []
  let tenantId = ''
  const seen: Record<string, number> = {}

  const asAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    wl.request(method, path, { key: secret, ...(body !== undefined && { body }) })

  const made = async (path: string, body: unknown) => {
    const answer = await asAdmin('POST', path, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.data
  }

  const createActor = async (at: number): Promise<ActorKey> => {
    const isLimited = at % 5 === 4
    const userId = at % 3 === 0 ? null : userIds[at % 2]!
    const limit = isLimited ? [projectIds[at % 3]!, projectIds[(at + 1) % 3]!] : null
    const isAdmin = at === 1
    const key = await made('/v1/keys', {
      name: `actor ${at}`,
      scopes: isAdmin ? ['admin'] : ['tasks:write', 'knowledge:write'],
      ...(userId && { userId }),
      ...(limit && { projectIds: limit }),
    })
    return { id: key.id, secret: key.key, userId, projectIds: limit, isAdmin }
  }

  const begin = async (): Promise<void> => {
    tenantId = (await asAdmin('GET', '/v1/me')).body.data.tenant.id
    for (const key of projectKeys) projectIds.push((await made('/v1/projects', { key, name: key })).id)
    for (const name of ['Ada', 'Bob']) userIds.push((await made('/v1/users', { name, role: 'admin' })).id)
    for (let at = 0; at < actorCount; at++) actors.push(await createActor(at))
  }

  const look = async (): Promise<[Tables, Reference]> => {
    const tables = await readTables(db, tenantId)
    return [tables, createReference(tables, clock())]
  }

  const send = async (actor: ActorKey, { method, path, body, claim }: Sent): Promise<Answer> => {
    const answer = await wl.request(method, path, {
      key: actor.secret,
      ...(body !== undefined && { body }),
      ...(claim !== undefined && { headers: { 'worklore-claim': claim } }),
    })
    const outcome = `${answer.status} ${answer.body?.error?.reason ?? ''}`.trim()
    seen[outcome] = (seen[outcome] ?? 0) + 1
    assert.ok(answer.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
    return answer
  }

  const endTokensOf = (taskId: string): void => {
    for (const [token, state] of held) if (token.startsWith(`${taskId}.`)) state.isOver = true
  }

  const noteClaim = (actor: ActorKey, task: { id: string; claim: { token: string; keyId: string } }): void => {
    const { token, keyId } = task.claim
    assert.equal(keyId, actor.id)
    assert.ok(!held.has(token), `${token} was given out twice`)
    endTokensOf(task.id)
    held.set(token, { keyId, isOver: false })
    tokens.push({ token, taskId: task.id, keyId })
  }

  const mayUse = (actor: ActorKey, task: ReferenceTask): boolean =>
    actor.projectIds === null || actor.projectIds.includes(task.doc.projectId)

  const reasonOf = (answer: Answer): string | undefined => answer.body?.error?.reason

  /** What a write under a token must answer before anything else; undefined where the token does. */
  const fenceRefuses = (tables: Tables, actor: ActorKey, token: string | undefined): boolean => {
    if (token === undefined) return false
    const claim = tables.tasks.get(token.split('.')[0]!)?.claim ?? null
    return !(claim?.token === token && claim.keyId === actor.id && isLive(claim, clock()))
  }

  const expectLost = (answer: Answer): void => {
    assert.deepEqual([answer.status, reasonOf(answer)], [412, 'claim_lost'], answer.text)
  }

  const linksOf = (step: Step, tables: Tables, project: string) => {
    const [, , , , many = 0, first = 0, second = 0, parent = 0] = step.numbers
    const ids = [...tables.tasks.keys()]
    const blockedBy = [first, second].slice(0, many % 3).flatMap((at) => ids[at % Math.max(1, ids.length)] ?? [])
    const siblings = [...tables.tasks.values()].filter(({ doc }) => doc.projectId === project).map(({ doc }) => doc.id)
    const parentId = parent % 3 === 0 ? null : (siblings[parent % Math.max(1, siblings.length)] ?? null)
    return { blockedBy: [...new Set(blockedBy)], parentId }
  }

  const fieldsOf = ({ numbers: [a = 0, b = 0, c = 0, d = 0] }: Step): Record<string, unknown> => ({
    priority: priorities[a % 4],
    labels: labels.slice(b % 4, (b % 4) + (c % 3)),
    ...(d % 4 > 0 && { resources: resources.slice(d % 7, (d % 7) + 1 + (b % 2)) }),
    ...(c % 4 === 0 && { dueDate: `2031-0${1 + (d % 3)}-01` }),
    ...(d % 5 === 0 && { assigneeId: [null, ...userIds][a % 3] }),
    ...(b % 7 === 0 && { notBefore: new Date(clock() + times[c % times.length]!).toISOString() }),
    ...(b % 7 === 1 && { notBefore: null }),
  })

  const waitsForResource = (task: ReferenceTask, reference: Reference): boolean =>
    !isLive(task.claim, clock()) &&
    !isClosed(task) &&
    reference.blockedBy(task).length === 0 &&
    reference.holdersFor(task).length > 0

  /** The request of a step, without what must be known of its answer. */
  const requestOf = (step: Step, tables: Tables, reference: Reference): Sent | undefined => {
    const [a = 0, b = 0, c = 0] = step.numbers
    const all = [...tables.tasks.values()]
    // Chance alone seldom claims what waits for a resource.
    const waiting = step.kind === 'claim' && b % 2 === 0 ? all.filter((each) => waitsForResource(each, reference)) : []
    const chosenFrom = waiting.length > 0 ? waiting : all
    const task = chosenFrom[a % Math.max(1, chosenFrom.length)]
    if (step.kind === 'create') {
      const at = a % 3
      const body = {
        projectId: projectKeys[at],
        title: `Task ${a}`,
        ...fieldsOf(step),
        ...linksOf(step, tables, projectIds[at]!),
      }
      return { method: 'POST', path: '/v1/tasks', body }
    }
    if (!task) return undefined
    const path = `/v1/tasks/${task.doc.id}`
    const claim = b % 4 === 0 ? tokens[c % Math.max(1, tokens.length)]?.token : task.claim?.token
    const fence = b % 2 === 0 && claim !== undefined ? { claim } : {}
    const { blockedBy, parentId } = linksOf(step, tables, task.doc.projectId)
    switch (step.kind) {
      case 'setStatus':
        return { method: 'PATCH', path, body: { status: statuses[c % 5] }, ...fence }
      case 'setBlockers':
        return { method: 'PATCH', path, body: { blockedBy } }
      case 'setParent':
        return { method: 'PATCH', path, body: { parentId } }
      case 'setFields':
        return { method: 'PATCH', path, body: { ...fieldsOf(step), ...(c % 3 === 0 && { attempts: 0 }) }, ...fence }
      case 'delete':
        return { method: 'DELETE', path: `${path}${b % 3 === 0 ? '?force=true' : ''}`, ...fence }
      case 'comment':
        return { method: 'POST', path: `${path}/comments`, body: { body: `Comment ${c}` }, ...fence }
      case 'ask': {
        const to = c % 3 === 0 ? { to: userIds[c % 2] } : {}
        const body = { body: `Question ${c}`, ...to, ...(c % 4 === 0 && { keepClaim: true }) }
        return { method: 'POST', path: `${path}/questions`, body, ...fence }
      }
      case 'answer':
      case 'withdraw': {
        const asked = [...tables.openQuestions.values()].flat()
        const id = asked[c % Math.max(1, asked.length)]
        if (id === undefined) return undefined
        const body = step.kind === 'answer' ? { body: { body: 'An answer' } } : {}
        return { method: 'POST', path: `/v1/questions/${id}/${step.kind}`, ...body }
      }
      case 'claim':
        return {
          method: 'POST',
          path: `${path}/claim`,
          body: { leaseSeconds: 10 + (b % 4) * 60, takeover: c % 3 === 0 },
        }
      case 'writeUnderClaim':
        return {
          method: 'PUT',
          path: `/v1/knowledge/notes/${a % 5}`,
          body: { content: `Note ${b}`, projectId: task.doc.projectId },
          ...fence,
        }
      default:
        return undefined
    }
  }

  /** Makes a request and holds its answer against what the recount says of it. */
  const act = async (step: Step): Promise<void> => {
    const actor = actors[step.actor]!
    const [tables, reference] = await look()
    const sent = requestOf(step, tables, reference)
    if (!sent) return
    const task = tables.tasks.get(/^\/v1\/tasks\/([^/?]+)/.exec(sent.path)?.[1] ?? '')
    const answer = await send(actor, sent)
    const context = `${actor.id} ${JSON.stringify(sent)}: ${answer.text}`
    if (task && !mayUse(actor, task) && !fenceRefuses(tables, actor, sent.claim)) {
      assert.equal(answer.status, 403, context)
      return
    }
    if (fenceRefuses(tables, actor, sent.claim)) {
      if (answer.status !== 403) expectLost(answer)
      return
    }
    const changesWaits = step.kind === 'setParent' || step.kind === 'setBlockers' || step.kind === 'setStatus'
    if (task && changesWaits) {
      const changed = { ...task, doc: { ...task.doc, ...(sent.body as Partial<ReferenceTask['doc']>) } }
      const wouldBe = { ...tables, tasks: new Map(tables.tasks).set(task.doc.id, changed) }
      const isCycle = createReference(wouldBe, clock()).hasCycle()
      if (reasonOf(answer) === 'cycle') return assert.ok(isCycle, `no cycle: ${context}`)
      if (answer.status === 200) assert.ok(!isCycle, `a cycle: ${context}`)
    }
    if (!task) return
    const claim = isLive(task.claim, clock()) ? task.claim : null
    const { status } = (sent.body ?? {}) as { status?: string }
    const isGuarded = claim && !actor.isAdmin && sent.claim !== claim.token
    if (step.kind === 'setStatus') {
      const isChanged = status !== reference.statusNow(task)
      if (isGuarded && isChanged) assert.deepEqual([answer.status, reasonOf(answer)], [409, 'claimed'], context)
      else {
        assert.equal(answer.status, 200, context)
        if (isChanged) endTokensOf(task.doc.id)
        const { claim: left } = answer.body.data
        assert.equal(left?.token, claim && status === 'in_progress' ? claim.token : undefined, context)
      }
    }
    if (step.kind === 'setFields' && 'resources' in (sent.body as object)) {
      const isChanged = String((sent.body as { resources: string[] }).resources) !== String(task.doc.resources)
      if (isGuarded && isChanged) assert.equal(answer.status, 409, context)
    }
    if (step.kind === 'ask') {
      const { keepClaim = false } = sent.body as { keepClaim?: boolean }
      const open = reference.countsOf(task).openQuestions
      if (isClosed(task)) assert.deepEqual([answer.status, reasonOf(answer)], [409, 'closed'], context)
      else if (open >= 20) assert.equal(answer.status, 409, context)
      else {
        assert.equal(answer.status, 201, context)
        const [after] = await look()
        const { doc, claim: left } = after.tasks.get(task.doc.id)!
        const isReleased = claim !== null && sent.claim === claim.token && !keepClaim
        if (!isReleased) assert.equal(left?.token, claim?.token, context)
        else {
          endTokensOf(task.doc.id)
          assert.deepEqual(
            [left, doc.status, doc.attempts],
            [null, 'todo', Math.max(0, task.doc.attempts - 1)],
            context,
          )
        }
      }
    }
    if (step.kind === 'delete') {
      const isParent = reference.childrenOf(task).length > 0
      if (isGuarded) assert.equal(reasonOf(answer), 'claimed', context)
      else if (isParent && !sent.path.endsWith('force=true')) assert.equal(answer.status, 409, context)
      else if (!isParent) assert.equal(answer.status, 200, context)
    }
    if (step.kind === 'claim') {
      const { takeover } = sent.body as { takeover: boolean }
      const mayReplace = takeover && (actor.isAdmin || claim?.keyId === actor.id)
      const blockedBy = reference.blockedBy(task)
      if (claim && !mayReplace) assert.equal(reasonOf(answer), 'claimed', context)
      else if (isClosed(task)) assert.equal(reasonOf(answer), 'closed', context)
      else if (blockedBy.length > 0) {
        assert.equal(reasonOf(answer), 'blocked', context)
        assert.deepEqual([...answer.body.error.blockedBy].sort(), blockedBy.sort(), context)
      } else if (reference.holdersFor(task).length > 0) {
        assert.equal(reasonOf(answer), 'resource', context)
        const { taskId } = answer.body.error.heldBy
        assert.ok(reference.holdersFor(task).includes(taskId), context)
      } else {
        assert.equal(answer.status, 200, context)
        assert.equal(answer.body.data.attempts, task.doc.attempts + 1)
        noteClaim(actor, answer.body.data)
      }
    }
  }

  /** `next` hands out exactly the best that a recount finds for this actor. */
  const next = async ({ actor: at, numbers: [a = 0, b = 0, c = 0] }: Step): Promise<void> => {
    const actor = actors[at]!
    const [tables, reference] = await look()
    const projects = a % 3 === 0 ? [projectIds[b % 3]!] : undefined
    const wanted = {
      ...(projects && { projectId: projects }),
      ...(b % 4 === 0 && { label: [labels[a % 3]!, labels[c % 3]!] }),
      ...(c % 5 === 0 && { priority: [priorities[b % 4]!, priorities[a % 4]!] }),
    }
    const parents = [...tables.tasks.values()].filter((task) => reference.childrenOf(task).length > 0)
    const parent = b % 5 === 0 ? parents[c % Math.max(1, parents.length)] : undefined
    const isPeek = c % 6 === 0
    const body = {
      ...wanted,
      ...(parent && { parentId: parent.doc.id }),
      leaseSeconds: 10 + (c % 3) * 50,
      ...(isPeek && { peek: true }),
    }
    const answer = await send(actor, { method: 'POST', path: '/v1/tasks/next', body })
    const mayAsk =
      (!projects || !actor.projectIds || actor.projectIds.includes(projects[0]!)) && (!parent || mayUse(actor, parent))
    if (!mayAsk) return assert.equal(answer.status, 403, `${JSON.stringify(body)} ${answer.text}`)
    const best = reference
      .readyFor(actor)
      .filter(({ doc }) => !projects || projects.includes(doc.projectId))
      .filter(({ doc }) => !wanted.label || wanted.label.some((label) => doc.labels.includes(label)))
      .filter(({ doc }) => !wanted.priority || wanted.priority.includes(doc.priority))
      .find(({ doc }) => !parent || doc.parentId === parent.doc.id)
    assert.equal(answer.body.data?.id, best?.doc.id, `${actor.id} ${JSON.stringify(body)}: ${answer.text}`)
    if (best && !isPeek) noteClaim(actor, answer.body.data)
  }

  /** Renewing and releasing, by a token that may be over. */
  const handIn = async ({ kind, actor: at, numbers: [a = 0, b = 0, c = 0] }: Step): Promise<void> => {
    const chosen = tokens[Math.max(0, tokens.length - 1 - (a % 8))]
    if (!chosen) return
    const { token, taskId, keyId } = chosen
    const actor = b % 5 === 0 ? actors[at]! : (actors.find(({ id }) => id === keyId) ?? actors[at]!)
    const [tables, reference] = await look()
    const task = tables.tasks.get(taskId)
    const status = released[c % 4]!
    const body =
      kind === 'renew'
        ? { ...(c % 2 === 0 && { leaseSeconds: 60 }) }
        : {
            status,
            ...(b % 3 === 0 && { comment: 'Handed in' }),
            ...(c % 5 === 0 && { notBefore: new Date(clock() + times[b % times.length]!).toISOString() }),
          }
    const answer = await send(actor, { method: 'POST', path: `/v1/tasks/${taskId}/${kind}`, body, claim: token })
    const context = `${actor.id} ${kind} ${token} ${JSON.stringify(body)}: ${answer.text}`
    if (!task) return expectLost(answer)
    if (!mayUse(actor, task)) return assert.equal(answer.status, 403, context)
    const state = held.get(token)!
    if (state.isOver || state.keyId !== actor.id) return expectLost(answer)
    if (kind === 'renew' && !isLive(task.claim, clock()) && reference.holdersFor(task).length > 0) {
      return assert.equal(reasonOf(answer), 'resource', context)
    }
    assert.equal(answer.status, 200, context)
    const { data } = answer.body
    if (kind === 'release') {
      endTokensOf(taskId)
      assert.deepEqual([data.status, data.claim], [status, null], context)
      return
    }
    assert.deepEqual([data.status, data.claim.token], ['in_progress', token], context)
    const isWrittenDown = reference.statusNow(task) === 'todo' && task.claim === null
    if (isLive(task.claim, clock())) assert.equal(data.version, task.doc.version, context)
    else assert.equal(data.version, task.doc.version + (isWrittenDown ? 1 : 2), context)
  }

  const batchOf = async (step: Step, steps: readonly Step[]): Promise<void> => {
    const actor = actors[step.actor]!
    const [before, reference] = await look()
    const operations = steps
      .filter(({ kind }) => !['claim', 'setStatus', 'delete', 'ask'].includes(kind))
      .flatMap((each) => requestOf(each, before, reference) ?? [])
      .map(({ method, path, body, claim }) => ({
        method,
        path,
        body,
        ...(claim !== undefined && { headers: { 'Worklore-Claim': claim } }),
      }))
    if (operations.length === 0) return
    const answer = await send(actor, { method: 'POST', path: '/v1/batch', body: { operations } })
    if (answer.status === 200) return assert.equal(answer.body.data.length, operations.length)
    assert.ok(answer.body.error.index >= 0, answer.text)
    const [after] = await look()
    assert.equal(after.tasks.size, before.tasks.size)
  }

  const revokeKey = async ({ actor: at }: Step): Promise<void> => {
    if (at === 1) return
    const { id } = actors[at]!
    assert.equal((await asAdmin('DELETE', `/v1/keys/${id}`)).status, 200)
    const [tables] = await look()
    for (const { claim } of tables.tasks.values()) assert.notEqual(claim?.keyId, id)
    actors[at] = await createActor(at)
  }

  const deleteProject = async ({ numbers: [a = 0, b = 0] }: Step): Promise<void> => {
    if (b % 4 !== 0) return
    const at = a % 3
    assert.equal((await asAdmin('DELETE', `/v1/projects/${projectKeys[at]}?force=true`)).status, 200)
    projectIds[at] = (await made('/v1/projects', { key: projectKeys[at], name: 'again' })).id
    for (const [place, { projectIds: limit, id }] of actors.entries()) {
      if (limit === null) continue
      await asAdmin('DELETE', `/v1/keys/${id}`)
      actors[place] = await createActor(place)
    }
  }

  const run = async (step: Step, inBatch: readonly Step[]): Promise<void> => {
    const [a = 0, b = 0] = step.numbers
    switch (step.kind) {
      case 'next':
        return next(step)
      case 'renew':
      case 'release':
        return handIn(step)
      case 'batch':
        return batchOf(step, inBatch)
      case 'passTime':
        return wl.passTime(times[a % times.length]!)
      case 'setMaxAttempts':
        await asAdmin('PATCH', `/v1/projects/${projectKeys[a % 3]}`, { maxAttempts: 1 + (b % 4) })
        return
      case 'revokeKey':
        return revokeKey(step)
      case 'deleteProject':
        return deleteProject(step)
      case 'create': {
        const [tables] = await look()
        return act(tables.tasks.size < maxTasks ? step : { ...step, kind: 'delete' })
      }
      default:
        return act(step)
    }
  }

  const compareTables = async (): Promise<void> => {
    const [tables, reference] = await look()
    assert.ok(!reference.hasCycle(), 'a task waits for itself')
    for (const [id, task] of tables.tasks) {
      assert.deepEqual(tables.kept.get(id), reference.countsOf(task), `counts of ${id}`)
      for (const other of task.doc.blockedBy)
        assert.ok(tables.tasks.has(other), `${id} waits for ${other}, which is gone`)
      const { notBefore } = task.doc
      if (task.wakeAtMs !== null) assert.equal(task.wakeAtMs, Date.parse(notBefore!))
      else assert.ok(notBefore === null || Date.parse(notBefore) <= clock(), `${id} is queued too early`)
    }
    const inOrder = (entries: Tables['queue']) => entries.map((entry) => JSON.stringify(entry)).sort()
    assert.deepEqual(inOrder(tables.queue), inOrder(reference.queue()))
    assert.deepEqual(tables.links, reference.links())
    assert.deepEqual(tables.resources, reference.resources())
    for (const [id, holderId] of tables.waitsFor) {
      const holder = tables.tasks.get(holderId)
      assert.ok(holder?.claim && needsSame(holder, tables.tasks.get(id)!), `${id} waits for ${holderId}`)
    }
    for (const task of tables.tasks.values()) {
      if (isLive(task.claim, clock())) assert.deepEqual(reference.holdersFor(task), [], `claims of ${task.doc.id}`)
    }
  }

  /** The service's own rounds may come between two reads, so a difference must last. */
  const lasting = async (check: () => Promise<void>): Promise<void> => {
    try {
      await check()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
      await check()
    }
  }

  const compareLists = async (at: number): Promise<void> => {
    const actor = actors[at]!
    const [, reference] = await look()
    const answer = await wl.get('/v1/tasks?ready=true&limit=100', { key: actor.secret })
    const listed = answer.body.data.map(({ id }: { id: string }) => id)
    const expected = reference.readyFor(actor).map(({ doc }) => doc.id)
    assert.deepEqual(listed, expected.slice(0, 100), `ready for ${actor.id}`)
  }

  return {
    begin,
    run,
    /** Every count, the queue, the links and what one actor is shown as ready, against the recount. */
    verify: async (at: number): Promise<void> => {
      await lasting(compareTables)
      await compareLists(at)
    },
    outcomes: () => seen,
  }
}
