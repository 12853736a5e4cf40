import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Takes what the bridge uses out of GitHub's OpenAPI description (`generated/api.github.com.json` of `@octokit/openapi`),
 * as JSON Schema, for the tests: the package has 400 MB.
 */
const [source, target] = process.argv.slice(2)
if (!source || !target) throw new Error('Usage: slice-openapi.js api.github.com.json openapi.json')

const repo = '/repos/{owner}/{repo}'
const used: Record<string, string[]> = {
  '/user': ['get'],
  [repo]: ['get'],
  [`${repo}/assignees/{assignee}`]: ['get'],
  [`${repo}/issues`]: ['get', 'post'],
  [`${repo}/issues/comments`]: ['get'],
  [`${repo}/issues/comments/{comment_id}`]: ['get', 'patch', 'delete'],
  [`${repo}/issues/{issue_number}`]: ['get', 'patch'],
  [`${repo}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${repo}/issues/{issue_number}/events`]: ['get'],
  [`${repo}/pulls/{pull_number}`]: ['get'],
  [`${repo}/pulls/{pull_number}/reviews`]: ['get'],
  [`${repo}/commits/{ref}/check-runs`]: ['get'],
}

type Json = Record<string, unknown>

const document = JSON.parse(readFileSync(source, 'utf8')) as { info: { version: string } } & Json
const unwanted = ['description', 'summary', 'example', 'examples', 'externalDocs', 'x-github', 'tags', 'operationId']

/** OpenAPI 3.0 says `nullable` where JSON Schema names the type. */
const withoutNullable = ({ nullable, ...schema }: Json): Json => {
  if (nullable !== true) return schema
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const values = schema.enum as unknown[] | undefined
  return { ...schema, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) }
}

const cleaned = (value: unknown, isMap = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => cleaned(each))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, each]) => isMap || !unwanted.includes(name) || Array.isArray(each),
  )
  const object = Object.fromEntries(
    entries
      .filter(([name]) => isMap || !unwanted.includes(name))
      .map(([name, each]) => [name, cleaned(each, name === 'properties' && !isMap)]),
  )
  return isMap ? object : withoutNullable(object)
}

const components: Record<string, Json> = {}

const include = (reference: string): void => {
  const [, , kind, name] = reference.split('/') as [string, string, string, string]
  components[kind] ??= {}
  if (name in components[kind]) return
  const found = (document.components as Record<string, Json>)[kind]![name]
  components[kind][name] = cleaned(found)
  collect(components[kind][name])
}

const collect = (value: unknown): void => {
  if (Array.isArray(value)) value.forEach(collect)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, each] of Object.entries(value)) {
    if (name === '$ref' && typeof each === 'string') include(each)
    else collect(each)
  }
}

const paths: Record<string, Json> = {}
for (const [path, methods] of Object.entries(used)) {
  paths[path] = {}
  for (const method of methods) {
    paths[path][method] = cleaned((document.paths as Record<string, Json>)[path]![method])
    collect(paths[path][method])
  }
}
writeFileSync(target, `${JSON.stringify({ info: { version: document.info.version }, paths, components }, null, 1)}\n`)
