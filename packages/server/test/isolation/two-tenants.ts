import assert from 'node:assert/strict'
import { signIn } from 'worklore-testing/console-session'
import type { TestTenant } from 'worklore-testing/harness'
import { exampleOf, fillPath, type Operation, pathParametersOf } from 'worklore-testing/operations'
import { addTenant } from 'worklore-testing/operator'

export interface Side {
  secret: string
  /** Something that exists for every name that a request can give to a record. */
  ids: Record<string, string>
}

/** Names in queries and bodies that mean a record, and by which path parameter that record is known. */
export const references: Record<string, string> = {
  projectId: 'projectId',
  projectIds: 'projectId',
  assigneeId: 'userId',
  assignee: 'userId',
  userId: 'userId',
  taskId: 'taskId',
  inboxOf: 'userId',
}

/** A field of a body that is required where another, which a test names a record by, is not given. */
const unless: Record<string, { given: string; fields: Record<string, unknown> }> = {
  createWebhook: { given: 'inboxOf', fields: { events: ['task.*', 'knowledge.updated'] } },
  undo: { given: 'keyId', fields: { requestId: 'of-a-test' } },
}

const marker = 'of-the-other-tenant'

/** The operations that read one record. */
const detailsOf = (operations: readonly Operation[]): Operation[] =>
  operations.filter(({ method, template }) => method === 'GET' && template.endsWith('}'))

/** A record that is made by itself, a moment after another. */
const firstOf = async (wl: TestTenant, secret: string, listPath: string): Promise<string> => {
  for (const endMs = performance.now() + 120_000; performance.now() < endMs; ) {
    const { body } = await wl.get(listPath, { key: secret })
    if (body.data.length > 0) return body.data[0].id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${listPath} stays empty: teach two-tenants.ts how to make such a record`)
}

/** Gives a tenant one record of every kind that the document has, made by the document's own create operations. */
export const fillTenant = async (
  wl: TestTenant,
  operations: readonly Operation[],
  secret: string,
  projectKey: string,
): Promise<Side> => {
  const ids: Record<string, string> = {}
  const named = { key: projectKey, name: marker, title: marker, content: marker }
  // Projects first, since other records belong to one; then webhooks, since what is made later is delivered to them.
  const order = ['/v1/projects', '/v1/webhooks']
  const rank = ({ template }: Operation): number => (order.indexOf(template) + order.length + 1) % (order.length + 1)
  const posts = operations.filter(({ method }) => method === 'POST').sort((a, b) => rank(a) - rank(b))
  // What belongs to another record comes after it.
  const creates = posts.sort((a, b) => pathParametersOf(a).length - pathParametersOf(b).length)
  for (const create of creates) {
    const detail = detailsOf(operations).find(({ template }) => template.startsWith(`${create.template}/{`))
    if (!detail) continue
    const example = exampleOf(create.body!, { ...named, ...ids }) as Record<string, unknown>
    const body = { ...example, ...unless[create.id]?.fields }
    const path = fillPath(create.template, (name) => ids[name]!)
    const answer = await wl.post(path, body, { key: secret })
    assert.equal(answer.status, 201, `${create.id}: ${answer.text}`)
    ids[pathParametersOf(detail).at(-1)!] = answer.body.data.id
  }
  const asked = await wl.post(`/v1/tasks/${ids.taskId}/questions`, { body: marker }, { key: secret })
  assert.equal(asked.status, 201, asked.text)
  ids.questionId = asked.body.data.id
  ids.sessionId = (await signIn(wl, { key: secret })).session.id
  // A check has its name within its task; the other side's is one that no task here has.
  ids.checkId = projectKey === 'ALPHA' ? 'c1' : 'c700000007'
  ids.key = `secret/${projectKey}`
  const put = await wl.put(`/v1/knowledge/${ids.key}`, { content: marker }, { key: secret })
  assert.equal(put.status, 201)
  const deleted = `/v1/knowledge/deleted/${projectKey}`
  await wl.put(deleted, { content: marker }, { key: secret })
  assert.equal((await wl.delete(deleted, { key: secret })).status, 200)
  ids.entryId = await firstOf(wl, secret, '/v1/trash')
  for (const { template } of detailsOf(operations)) {
    const name = pathParametersOf({ template }).at(-1)!
    ids[name] ??= await firstOf(
      wl,
      secret,
      fillPath(template.slice(0, template.lastIndexOf('/')), (each) => ids[each]!),
    )
  }
  return { secret, ids }
}

export const fillTwoTenants = async (
  wl: TestTenant,
  operations: readonly Operation[],
): Promise<{ own: Side; other: Side }> => ({
  own: await fillTenant(wl, operations, wl.adminKey, 'ALPHA'),
  other: await fillTenant(wl, operations, await addTenant(wl), 'BETA'),
})

/** Of the same form, but no one's. */
export const missingLike = (id: string): string => {
  const last = id.at(-1)!
  return id.slice(0, -1) + (/\d/.test(last) ? (last === '9' ? '8' : '9') : last === 'z' ? 'y' : 'z')
}

export interface Attempt {
  what: string
  method: string
  path: string
  body?: unknown
}

/** Every way in which an operation can be given a record's id, with everything else in order. */
export const attemptsWith = (operation: Operation, own: Side, idOf: (parameter: string) => string): Attempt[] => {
  const { method, template, body, parameters } = operation
  const names = pathParametersOf(operation)
  for (const name of names) assert.ok(own.ids[name], `teach two-tenants.ts what {${name}} names`)
  const ownPath = fillPath(template, (name) => own.ids[name]!)
  const required = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema)))}`)
    .join('&')
  const withQuery = (path: string, more = ''): string => {
    const query = [required, more].filter((part) => part !== '').join('&')
    return query === '' ? path : `${path}?${query}`
  }
  const ownBody = body && (exampleOf(body, { ...own.ids, key: 'NEW', name: 'new' }) as Record<string, unknown>)
  const attempts: Attempt[] = []
  for (const chosen of names) {
    const path = withQuery(fillPath(template, (name) => (name === chosen ? idOf(name) : own.ids[name]!)))
    attempts.push({ what: `${operation.id} {${chosen}}`, method, path, body: ownBody })
  }
  for (const { name, in: place } of parameters) {
    const target = references[name]
    if (place !== 'query' || target === undefined) continue
    const path = withQuery(ownPath, `${name}=${encodeURIComponent(idOf(target))}`)
    attempts.push({ what: `${operation.id} ?${name}`, method, path, body: ownBody })
  }
  for (const name of Object.keys(body?.properties ?? {})) {
    const target = references[name]
    if (target === undefined) continue
    const value = name.endsWith('s') ? [idOf(target)] : idOf(target)
    const more = unless[operation.id]?.given === name ? {} : unless[operation.id]?.fields
    const body = { ...ownBody, ...more, [name]: value }
    attempts.push({ what: `${operation.id} .${name}`, method, path: ownPath, body })
  }
  return attempts
}
