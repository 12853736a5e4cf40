import assert from 'node:assert/strict'
import type { TestService } from '../harness.js'
import { exampleOf, fillPath, type Operation, pathParameterOf } from '../operations.js'
import { addTenant } from '../operator.js'

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
}

const marker = 'of-the-other-tenant'

/** Gives a tenant one record of every kind that the document has, made by the document's own create operations. */
export const fillTenant = async (
  wl: TestService,
  operations: readonly Operation[],
  secret: string,
  projectKey: string,
): Promise<Side> => {
  const ids: Record<string, string> = {}
  const named = { key: projectKey, name: marker, title: marker, content: marker }
  // Projects first: other records belong to one.
  const creates = operations
    .filter(({ method, template }) => method === 'POST' && !template.includes('{'))
    .sort((a, b) => Number(b.template === '/v1/projects') - Number(a.template === '/v1/projects'))
  for (const create of creates) {
    const detail = operations.find(
      ({ template, method }) => method === 'GET' && template.startsWith(`${create.template}/{`),
    )
    if (!detail) continue
    const body = exampleOf(create.body!, { ...named, ...ids })
    const answer = await wl.post(create.template, body, { key: secret })
    assert.equal(answer.status, 201, `${create.id}: ${answer.text}`)
    ids[pathParameterOf(detail)!] = answer.body.data.id
  }
  ids.key = `secret/${projectKey}`
  const put = await wl.put(`/v1/knowledge/${ids.key}`, { content: marker }, { key: secret })
  assert.equal(put.status, 201)
  return { secret, ids }
}

export const fillTwoTenants = async (
  wl: TestService,
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
  const parameter = pathParameterOf(operation)
  if (parameter !== undefined) assert.ok(own.ids[parameter], `teach two-tenants.ts what {${parameter}} names`)
  const ownPath = parameter === undefined ? template : fillPath(template, own.ids[parameter]!)
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
  if (parameter !== undefined) {
    const path = withQuery(fillPath(template, idOf(parameter)))
    attempts.push({ what: `${operation.id} {${parameter}}`, method, path, body: ownBody })
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
    attempts.push({ what: `${operation.id} .${name}`, method, path: ownPath, body: { ...ownBody, [name]: value } })
  }
  return attempts
}
