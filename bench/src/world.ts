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
  const users = (await call(port, 'GET', '/v1/users?limit=100')).body.data as { id: string; name: string }[]
  // The first key of a service has a user as well.
  const known = users.filter(({ name }) => name.startsWith('User '))
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

const indexedWithinMs = 15 * 60_000

/** The first search of so many records may have to wait for their index to be built. */
const firstSearch = async (port: number): Promise<number> => {
  for (const endsAt = performance.now() + indexedWithinMs; performance.now() < endsAt; ) {
    const { status } = await call(port, 'GET', '/v1/tasks/search?q=login')
    if (status !== 503) return status
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  throw new Error('the search index was not built in time')
}

export const describeWorld = async (port: number, records: number): Promise<World> => {
  const status = await firstSearch(port)
  return {
    port,
    records,
    userIds: await prepareUsers(port),
    cursors: await deepCursors(port, records),
    hasSearch: status === 200,
  }
}
