import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Answer } from './harness.js'

export type DocumentCheck = (method: string, path: string, answer: Answer) => void

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject | { $ref: string }> }>>
  components: { responses: Record<string, ResponseObject>; schemas: Record<string, unknown> }
}

interface ResponseObject {
  headers?: Record<string, unknown>
  content?: { 'application/json'?: { schema: object } }
}

/** Answers that any path can give and that belong to no operation. */
const outsideOperations: Record<number, string> = {
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  431: 'HEADERS_TOO_LARGE',
}

const templatePattern = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll(/\{key\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Holds every answer under /v1 against the OpenAPI document: the status, the headers and the body. */
export const createDocumentCheck = (document: Document): DocumentCheck => {
  // A check runs seldom: what makes it faster takes longer than it saves.
  const quicklyMade = { validateSchema: false, inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...quicklyMade })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', ...document })
  const validators = new Map<object, ValidateFunction>()
  // Literal paths come before those with a parameter, as in the router.
  const templates = Object.keys(document.paths)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((template) => ({ template, pattern: templatePattern(template) }))

  const resolve = (response: ResponseObject | { $ref: string }): ResponseObject =>
    '$ref' in response ? document.components.responses[response.$ref.split('/').at(-1)!]! : response

  const documented = (method: string, path: string, status: number): ResponseObject | undefined => {
    const found = templates.find(
      ({ template, pattern }) => pattern.test(path) && document.paths[template]![method.toLowerCase()],
    )
    const response = found && document.paths[found.template]![method.toLowerCase()]!.responses[status]
    if (response) return resolve(response)
    const general =
      outsideOperations[status] ??
      (found
        ? undefined
        : { 400: 'VALIDATION_ERROR', 401: 'UNAUTHORIZED', 429: 'RATE_LIMIT_EXCEEDED', 503: 'SERVICE_UNAVAILABLE' }[
            status
          ])
    return general ? document.components.responses[general] : undefined
  }

  const bodyProblem = (schema: object, body: unknown): string | undefined => {
    let validate = validators.get(schema)
    if (!validate) {
      const rebased = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
      validate = ajv.compile(rebased)
      validators.set(schema, validate)
    }
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }

  return (method, url, answer) => {
    const path = url.split('?', 1)[0]!
    if (!path.startsWith('/v1') || method === 'HEAD') return
    const what = `${method} ${url} → ${answer.status}`
    const response = documented(method, path, answer.status)
    assert.ok(response, `${what} is not in the document: ${answer.text.slice(0, 300)}`)
    for (const name of Object.keys(response.headers ?? {})) {
      if (name === 'Location' && answer.status !== 201) continue
      if (name === 'ETag' && !/tasks|knowledge|projects/.test(path)) continue
      assert.ok(answer.headers[name.toLowerCase()] !== undefined, `${what} lacks the header ${name}`)
    }
    const schema = response.content?.['application/json']?.schema
    if (!schema) return
    const problem = bodyProblem(schema, answer.body)
    assert.equal(problem, undefined, `${what}: ${problem}\n${answer.text.slice(0, 600)}`)
  }
}
