import assert from 'node:assert/strict'
import { expectStatus } from 'worklore-testing/expect'
import type { Answer, TestTenant } from 'worklore-testing/harness'
import { fillPath, type Operation } from 'worklore-testing/operations'
import { type Call, twisted } from './calls.js'
import { createModel, type Doc } from './model.js'
import type { Pick } from './values.js'

const kinds: Record<string, string> = {
  projectId: 'projects',
  projectIds: 'projects',
  assigneeId: 'users',
  assignee: 'users',
  userId: 'users',
  taskId: 'tasks',
  task: 'tasks',
  keyId: 'keys',
  webhookId: 'webhooks',
  key: 'knowledge',
  knowledge: 'knowledge',
}

/** Kinds that are named by their keys. */
const keyed = ['key', 'knowledge']

const isPick = (value: unknown): value is Pick => typeof value === 'object' && value !== null && 'pick' in value

/** Text that a URL can carry; half a surrogate pair has no such form. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Sends made-up requests for one tenant, and holds every answer against the document and the model. */
/** Claims, comments, questions, batches, moves, restores and undo have models of their own, in test/work and test/history. */
const isWork = (template: string): boolean =>
  /\/(claim|renew|release|move|rank|comments.*|questions.*|answer|withdraw|next)$|^\/v1\/(batch|knowledge\/move|history.*|trash.*|undo)$/.test(
    template,
  )

/** Tasks that wait for another one, or are a part of it, change when it is deleted. */
const changesOthers = ({ method, template }: Operation): boolean =>
  isWork(template) || (method === 'DELETE' && /^\/v1\/(tasks|projects)\b/.test(template))

export const createSession = (wl: TestTenant, secret: string) => {
  const model = createModel()
  let calls = 0
  // The tenant's own key must stay, or the session ends.
  let ownKeyId = ''
  let isStale = false

  const resolvePick = (name: string, { pick }: Pick): string => {
    const { doc } = model.nth(kinds[name] ?? '', pick) ?? { doc: {} as Doc }
    return String((keyed.includes(name) ? doc.key : doc.id) ?? `none-${pick}`)
  }

  const resolve = (value: unknown, name = ''): unknown => {
    if (isPick(value)) return resolvePick(name, value)
    if (Array.isArray(value)) return value.map((each) => resolve(each, name))
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = {}
    for (const field of Object.keys(value)) {
      const resolved = resolve((value as Doc)[field], field)
      Object.defineProperty(copy, field, { value: resolved, enumerable: true, configurable: true, writable: true })
    }
    return copy
  }

  const pathOf = ({ operation, id, query }: Call): string => {
    const path = fillPath(operation.template, (name) => {
      const text = isPick(id) ? resolvePick(name, id) : id
      return text.toWellFormed() || ' '
    })
    const pairs = query.map(([key, value]) => `${encode(key)}=${encode(String(resolve(value, key)))}`)
    return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
  }

  const place = (path: string, doc: Doc): string => {
    const bare = path.split('?', 1)[0]!
    return typeof doc.projectId === 'string' && bare.startsWith('/v1/knowledge/')
      ? `${bare}?projectId=${doc.projectId}`
      : bare
  }

  const isOnList = (status: number, { operation }: Call): boolean =>
    operation.statuses.includes(status) || status === 404

  const noteDeletion = (path: string, answer: Answer): void => {
    const bare = path.split('?', 1)[0]!
    const projectRef = new URLSearchParams(path.split('?')[1] ?? '').get('projectId')
    const deleted = bare.startsWith('/v1/knowledge/')
      ? model.of('knowledge').filter(({ doc }) => doc.key === answer.body.data.key)
      : [...model.resources.values()].filter((each) => each.path === bare)
    const one =
      deleted.length === 1
        ? deleted[0]
        : deleted.find(({ doc }) => doc.projectId === (projectRef === null ? null : projectIdOf(projectRef)))
    assert.ok(one, `${path} was deleted, but should not be there`)
    model.resources.delete(one.path)
    if (one.kind === 'projects') model.deletedProject(String(one.doc.id))
    if (one.kind === 'users') model.deletedUser(String(one.doc.id))
  }

  const projectIdOf = (ref: string): string | undefined =>
    model.of('projects').find(({ doc }) => doc.id === ref || doc.key === ref)?.doc.id

  const canonical = (bare: string): string => {
    const [, ref] = /^\/v1\/projects\/([^/]+)$/.exec(bare) ?? []
    const id = ref === undefined ? undefined : projectIdOf(decodeURIComponent(ref))
    return id === undefined ? bare : `/v1/projects/${id}`
  }

  /** The user that was created with a key. */
  const noteUserOf = async (apiKey: Doc): Promise<void> => {
    const path = `/v1/users/${apiKey.userId}`
    const { body } = expectStatus(await wl.get(path, { key: secret }), 200)
    model.created('/v1/users', path, {}, body.data)
  }

  const note = async (call: Call, path: string, body: unknown, answer: Answer): Promise<void> => {
    const { method, template } = call.operation
    const bare = canonical(path.split('?', 1)[0]!)
    if (answer.status >= 300 || method === 'GET' || answer.headers['idempotency-replayed']) return
    // Console links, project roles and the revocation of a leaked key are not records, so they are not read again.
    if (template.includes('/members')) return
    if (template === '/v1/keys/revoke' || template.endsWith('/console-link')) return
    if (changesOthers(call.operation)) isStale = true
    if (isWork(template)) return
    const doc = answer.body.data as Doc
    if (method === 'DELETE') noteDeletion(bare + path.slice(path.split('?', 1)[0]!.length), answer)
    else if (template.includes('/rotate')) model.updated(bare.replace('/rotate', ''), {}, doc)
    // The tenant is there from the beginning.
    else if (template === '/v1/tenant') model.created(template, bare, body, doc)
    else if (answer.status === 201) {
      model.created(template, place(answer.headers.location as string, doc), body, doc)
      if (template === '/v1/keys' && (body as Doc).user) await noteUserOf(doc)
    } else {
      model.updated(place(bare, doc), body, doc)
      if (bare.startsWith('/v1/users/')) model.renamedUser(String(doc.id), doc.name)
    }
  }

  /** Takes tasks and items as they are, after what the model does not follow. */
  const readAnew = async (): Promise<void> => {
    for (const [kind, limit] of [
      ['tasks', 100],
      ['knowledge', 500],
    ] as const) {
      for (const { path } of model.of(kind)) model.resources.delete(path)
      for (let cursor = ''; ; ) {
        const { body } = await wl.get(`/v1/${kind}?limit=${limit}${cursor && `&cursor=${cursor}`}`, { key: secret })
        for (const doc of body.data) {
          const name = kind === 'knowledge' ? doc.key.split('/').map(encodeURIComponent).join('/') : doc.id
          const path = place(`/v1/${kind}/${name}`, doc)
          model.resources.set(path, { kind, path, doc })
        }
        if (body.pagination.nextCursor === null) break
        cursor = body.pagination.nextCursor
      }
    }
    isStale = false
  }

  const send = async (call: Call): Promise<void> => {
    if (isStale) await readAnew()
    const path = pathOf(call)
    const { method, body: schema, parameters } = call.operation
    if (path.includes(ownKeyId) && method !== 'GET') return
    const body = schema && twisted(resolve(call.body), call.twist)
    const headers: Record<string, string> = {}
    if (call.ifMatch !== undefined && parameters.some(({ name }) => name === 'If-Match'))
      headers['if-match'] = `"${call.ifMatch}"`
    if (call.idempotencyKey && parameters.some(({ name }) => name === 'Idempotency-Key')) {
      headers['idempotency-key'] = call.idempotencyKey
    }
    const answer = await wl.request(method, path, { key: secret, headers, ...(schema && { body }) })
    calls++
    const what = `${method} ${path} ${JSON.stringify(body)?.slice(0, 500)} → ${answer.status} ${answer.text.slice(0, 500)}`
    assert.ok(answer.status < 500, what)
    assert.ok(isOnList(answer.status, call) || [400, 413, 431].includes(answer.status), what)
    try {
      await note(call, path, body, answer)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${what}`, { cause: error })
    }
  }

  /** Reads everything back: what the model holds is there as it is, and the lists hold nothing else. */
  const verify = async (): Promise<void> => {
    if (isStale) await readAnew()
    for (const { path, doc } of model.resources.values()) {
      const answer = await wl.get(path, { key: secret })
      assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      model.same(doc, answer.body.data)
    }
    for (const [kind, limit] of [
      ['tasks', 100],
      ['projects', 100],
      ['users', 100],
      ['keys', 100],
      ['knowledge', 500],
    ] as const) {
      const listed: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await wl.get(`/v1/${kind}?limit=${limit}${cursor && `&cursor=${cursor}`}`, { key: secret })
        for (const doc of body.data) listed.push(kind === 'knowledge' ? `${doc.projectId} ${doc.key}` : doc.id)
        if (body.pagination.nextCursor === null) break
        cursor = body.pagination.nextCursor
      }
      const expected = model
        .of(kind)
        .map(({ doc }) => (kind === 'knowledge' ? `${doc.projectId} ${doc.key}` : String(doc.id)))
      assert.deepEqual(listed.filter((id) => id !== ownKeyId).sort(), expected.sort(), `the list of ${kind}`)
    }
  }

  return {
    begin: async (): Promise<void> => {
      ownKeyId = (await wl.get('/v1/me', { key: secret })).body.data.key.id
    },
    send,
    verify,
    calls: () => calls,
  }
}
