import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, it } from 'node:test'
import { expectStatus } from 'worklore-testing/expect'
import { createUser } from 'worklore-testing/factories'
import { type Answer, send } from 'worklore-testing/harness'
import { fillPath } from 'worklore-testing/operations'
import { describeTenant } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'

const guide = readFileSync(new URL('../../../../../docs/guide.md', import.meta.url), 'utf8')

interface ReadmeCall {
  method: string
  path: string
  headers: Record<string, string>
  body: unknown
}

/** The calls of a shell block, as curl would send them. */
const curlCalls = (markdown: string): ReadmeCall[] =>
  [...markdown.matchAll(/^curl (?:[^\n]*\\\n)*[^\n]*$/gm)].map(([text]) => {
    const command = text.replaceAll('\\\n', ' ')
    const data = /-d '([^']*)'/.exec(command)?.[1]
    const headers = [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name, value]) => [name!, value!])
    return {
      method: /-X (\w+)/.exec(command)?.[1] ?? (data === undefined ? 'GET' : 'POST'),
      path: /http:\/\/127\.0\.0\.1:8787([^\s']*)/.exec(command)![1]!,
      headers: Object.fromEntries(headers),
      body: data === undefined ? undefined : JSON.parse(data),
    }
  })

interface Documented {
  operationId: string
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { content: { 'application/json': { example?: unknown } } }
}

describeTenant('the page at /docs', (wl) => {
  let firstCalls: Answer[]
  before(async () => {
    const [, section] = /## First calls\n([\s\S]*?)\n## /.exec(guide)!
    firstCalls = []
    for (const { method, path, headers, body } of curlCalls(section!)) {
      const call = () => wl.request(method, path, { headers, ...(body !== undefined && { body }) })
      // A search may be asked for again while its index is being built.
      firstCalls.push(await until(call, ({ status }) => status !== 503))
    }
  })

  it('comes after the first calls of the guide, which work as written', () => {
    assert.deepEqual(
      firstCalls.map(({ status }) => status),
      [201, 201, 200, 200, 201, 200, 400],
    )
    assert.equal(firstCalls[1]!.body.data.id, 'ACME-1')
  })

  it('fills in what can be sent as it is', async () => {
    const document = (await send(wl.baseUrl, 'GET', '/openapi.json')).body
    const operations = Object.entries<Record<string, Documented>>(document.paths)
      .flatMap(([template, methods]) =>
        Object.entries(methods).map(([method, documented]) => ({
          template,
          method: method.toUpperCase(),
          ...documented,
        })),
      )
      .filter(({ template, operationId }) => template.startsWith('/v1/') && operationId !== 'streamEvents')
      // What is deleted is missed by those that come later.
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
    assert.ok(operations.length > 30)
    // Only users have an inbox.
    const user = await createUser(wl, { role: 'admin' })
    const { key } = (await wl.get('/v1/me')).body.data
    expectStatus(await wl.patch(`/v1/keys/${key.id}`, { userId: user.id }), 200)
    let bodies = 0
    for (const { operationId, method, template, parameters = [], requestBody } of operations) {
      const filled = parameters.filter(({ example }) => example !== undefined)
      const path = fillPath(template, (name) => String(filled.find((each) => each.name === name)?.example))
      const query = new URLSearchParams()
      for (const each of filled) if (each.in === 'query') query.set(each.name, String(each.example))
      const body = requestBody?.content['application/json'].example
      if (requestBody) {
        assert.notEqual(body, undefined, `${operationId} has no example of its body`)
        bodies++
      }
      const answer = await wl.request(method, query.size > 0 ? `${path}?${query}` : path, {
        ...(body !== undefined && { body }),
        headers: Object.fromEntries(
          filled.filter((each) => each.in === 'header').map(({ name, example }) => [name, String(example)]),
        ),
      })
      // Records whose ids are random are not there, nor is the item that was moved, nor a check; a project with tasks is not deleted,
      // nor is a task moved to its own;
      // and the task that was released as done takes no question.
      const isMissing =
        answer.status === 404 &&
        (/(usr|key|whk|cmt|qst|ses|tra)_/.test(path) || ['deleteKnowledge', 'decideCheck'].includes(operationId))
      const isKept = answer.status === 409 && ['deleteProject', 'askQuestion', 'moveTask'].includes(operationId)
      assert.ok(answer.status < 300 || isMissing || isKept, `${operationId}: ${answer.text}`)
    }
    assert.ok(bodies >= 10)
  })

  it('keeps no key in the browser, and ends a stream that is tried out', async () => {
    const page = await send(wl.baseUrl, 'GET', '/docs/static/swagger-initializer.js')
    assert.equal(page.status, 200)
    assert.match(page.text, /"?persistAuthorization"?: ?false/)
    assert.match(page.text, /events\/stream/)
    assert.match(page.text, /readForMs/)
  })
})
