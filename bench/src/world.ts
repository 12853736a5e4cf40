import { projectKeys, userCount } from './records.js'
import { call } from './requests.js'

/** What the requests of a run may refer to. */
export interface World {
  port: number
  /** How many tasks, and as many knowledge items. */
  records: number
  userIds: readonly string[]
  /** Where deep pages of the task list begin. */
  cursors: readonly string[]
  hasSearch: boolean
}

const pageSize = 50

/** Makes the projects and users, or finds those of an earlier step. */
export const prepareUsers = async (port: number): Promise<string[]> => {
  const known = (await call(port, 'GET', '/v1/users?limit=100')).body.data as { id: string }[]
  if (known.length > 0) return known.map(({ id }) => id)
  for (const key of projectKeys) await call(port, 'POST', '/v1/projects', { key, name: key })
  const ids: string[] = []
  for (let at = 0; at < userCount; at++) {
    ids.push((await call(port, 'POST', '/v1/users', { name: `User ${at}` })).body.data.id)
  }
  return ids
}

/** Cursors from a quarter of the way to three quarters of it. */
const deepCursors = async (port: number, records: number): Promise<string[]> => {
  const pages = Math.floor(records / pageSize)
  const cursors: string[] = []
  for (const share of [0.25, 0.4, 0.5, 0.6, 0.75]) {
    const page = Math.max(1, Math.floor(pages * share))
    const { body } = await call(port, 'GET', `/v1/tasks?limit=${pageSize}&page=${page}`)
    cursors.push(body.pagination.nextCursor)
  }
  return cursors
}

export const describeWorld = async (port: number, records: number): Promise<World> => {
  const search = await call(port, 'GET', '/v1/tasks/search?q=login')
  return {
    port,
    records,
    userIds: await prepareUsers(port),
    cursors: await deepCursors(port, records),
    hasSearch: search.status !== 404 && search.status !== 400,
  }
}
