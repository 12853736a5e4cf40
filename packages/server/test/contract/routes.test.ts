import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService } from 'worklore-testing/harness'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  responses: Record<string, unknown>
  requestBody?: unknown
}

/** The interface as it was asked for: no route of it may ever be missing. */
const promised = [
  'GET /v1/tasks',
  'POST /v1/tasks',
  'GET /v1/tasks/search',
  'GET /v1/tasks/{taskId}',
  'PATCH /v1/tasks/{taskId}',
  'DELETE /v1/tasks/{taskId}',
  'GET /v1/knowledge',
  'GET /v1/knowledge/search',
  'GET /v1/knowledge/{key}',
  'PUT /v1/knowledge/{key}',
  'DELETE /v1/knowledge/{key}',
  'GET /v1/projects',
  'POST /v1/projects',
  'GET /v1/projects/{projectId}',
  'PATCH /v1/projects/{projectId}',
  'DELETE /v1/projects/{projectId}',
  'GET /v1/users',
  'POST /v1/users',
  'GET /v1/users/{userId}',
  'PATCH /v1/users/{userId}',
  'DELETE /v1/users/{userId}',
  'GET /v1/keys',
  'POST /v1/keys',
  'GET /v1/keys/{keyId}',
  'PATCH /v1/keys/{keyId}',
  'DELETE /v1/keys/{keyId}',
  'POST /v1/keys/{keyId}/rotate',
  'GET /v1/me',
]

/** Reads the router's own tree of routes, in the document's words. */
const routesOf = (tree: string): string[] => {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, segment, methods] = /^(.*?)[├└]── (\S*) \(([A-Z, ]+)\)$/.exec(line) ?? []
    if (indent === undefined || segment === undefined || methods === undefined) return []
    const depth = indent.length / 4
    parents.splice(depth, parents.length, segment === '*' ? '/{key}' : segment.replaceAll(/:(\w+)/g, '{$1}'))
    const listed = methods.split(', ').filter((method) => method !== 'HEAD')
    return listed.map((method) => `${method} ${parents.join('')}`)
  })
}

describe('the OpenAPI document', () => {
  let routes: string[]
  let document: { openapi: string; paths: Record<string, Record<string, Operation>> }

  before(async () => {
    const wl = await startService(engines[0]!)
    document = (await wl.get('/openapi.json')).body
    routes = routesOf(wl.service.app.printRoutes({ commonPrefix: false }))
    await wl.stop()
  })

  const operations = (): [name: string, operation: Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    )

  it('is of version 3.1 and holds every route that was promised', () => {
    assert.match(document.openapi, /^3\.1\./)
    const documented = operations().map(([name]) => name)
    for (const route of promised) assert.ok(documented.includes(route), route)
  })

  it('agrees with the routes that the service has', () => {
    const ofApi = (names: string[]) => names.filter((name) => name.includes(' /v1/')).sort()
    assert.deepEqual(ofApi(operations().map(([name]) => name)), ofApi(routes))
  })

  it('has one name for each operation, every parameter of its path, and the errors of every route', () => {
    const names = operations().map(([, { operationId }]) => operationId)
    assert.equal(new Set(names).size, names.length)
    for (const [name, operation] of operations()) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      const declared = (operation.parameters ?? []).filter((each) => each.in === 'path').map((each) => each.name)
      assert.deepEqual(declared, inPath, name)
      if (!name.includes(' /v1/')) continue
      // A leaked key is ended without another.
      const ofKeys = name === 'POST /v1/keys/revoke' ? [] : ['401', '403']
      for (const status of ['400', ...ofKeys, '429', '500', '503'])
        assert.ok(operation.responses[status], `${name} ${status}`)
      if (/^(PUT|PATCH)/.test(name)) assert.ok(operation.requestBody, name)
    }
  })
})
