import assert from 'node:assert/strict'
import type { RequestOptions, TestTenant } from './harness.js'

type Fields = Record<string, unknown>

/** Creates a record and answers it; anything but a 201 fails the test. */
const created = async (wl: TestTenant, path: string, body: Fields, options?: RequestOptions) => {
  const answer = await wl.post(path, body, options)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

let projects = 0

export const createProject = (wl: TestTenant, fields: Fields = {}, options?: RequestOptions) =>
  created(wl, '/v1/projects', { key: `P${++projects}`, name: 'A project', ...fields }, options)

export const createUser = (wl: TestTenant, fields: Fields = {}, options?: RequestOptions) =>
  created(wl, '/v1/users', { name: 'Ada', ...fields }, options)

export const createTask = (wl: TestTenant, projectId: string, fields: Fields = {}, options?: RequestOptions) =>
  created(wl, '/v1/tasks', { projectId, title: 'A task', ...fields }, options)

/** The record of a new API key, with its secret as `key`. */
export const createKey = (wl: TestTenant, fields: Fields = {}, options?: RequestOptions) =>
  created(wl, '/v1/keys', { name: 'a key', scopes: ['tasks:write'], ...fields }, options)

export const putItem = async (
  wl: TestTenant,
  key: string,
  content: string,
  fields: Fields = {},
  options?: RequestOptions,
) => {
  const answer = await wl.put(`/v1/knowledge/${key}`, { content, ...fields }, options)
  assert.ok(answer.status === 200 || answer.status === 201, answer.text)
  return answer.body.data
}
