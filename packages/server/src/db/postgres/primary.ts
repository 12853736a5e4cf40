import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { urlsOfHosts } from '../../base/postgres-urls.js'

const lookEveryMs = 200
const connectTimeoutSeconds = 2

export interface DatabaseServer {
  url: string
  /** Whether a pooler stands before it, which may give each transaction another connection. */
  isPooled: boolean
  /** Whether it spreads its tables over others. */
  isCitus: boolean
}

/** A server that was promoted is on a later timeline than the one it took over from, should that come back. */
const question = `
  select pg_backend_pid() as pid, exists (select 1 from pg_extension where extname = 'citus') as citus,
    case when pg_is_in_recovery() then 0
      else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`

interface Answer extends DatabaseServer {
  /** 0 for a replica. */
  timeline: number
}

const ask = async (url: string): Promise<Answer> => {
  const sql = postgres(url, { max: 1, connect_timeout: connectTimeoutSeconds, fetch_types: false, onnotice: () => {} })
  const late = pause(connectTimeoutSeconds * 1_000, undefined, { ref: false }).then(() => {
    throw new Error('did not answer in time')
  })
  try {
    const rows = await Promise.race([sql.unsafe(question), late])
    const { pid, citus, timeline } = rows[0] as unknown as { pid: number; citus: boolean; timeline: number }
    // A pooler makes up the process that it tells its clients, which they would cancel a statement by.
    return { url, timeline, isPooled: rows.state.pid !== pid, isCitus: citus }
  } finally {
    sql.end({ timeout: 0 }).catch(() => {})
  }
}

/** The one of several servers that takes writes; undefined where none does. */
const findPrimary = async (urls: readonly string[]): Promise<DatabaseServer | undefined> => {
  const answers = await Promise.all(urls.map((url) => ask(url).catch(() => [])))
  const primaries = answers.flat().filter(({ timeline }) => timeline > 0)
  return primaries.sort((one, other) => other.timeline - one.timeline)[0]
}

export interface Primary {
  current(): DatabaseServer
  /** Says that the server was lost, or takes no writes: another one may have been promoted. */
  lose(): void
  onMoved(listener: () => void): void
  close(): void
}

const firstTries = 3

/** Where none is found, a pooler is assumed: what is right with one is right without. */
const findFirst = async (urls: readonly string[]): Promise<DatabaseServer> => {
  for (let tries = 0; tries < firstTries; tries++) {
    const found = await findPrimary(urls)
    if (found) return found
  }
  return { url: urls[0]!, isPooled: true, isCitus: false }
}

/** Follows the primary among the hosts of a URL. With one there is nothing to follow: its name or address may move. */
export const followPrimary = async (databaseUrl: string): Promise<Primary> => {
  const urls = urlsOfHosts(databaseUrl)
  const listeners: (() => void)[] = []
  let current = await findFirst(urls)
  let isLooking = false
  let isClosed = false

  const look = async (): Promise<void> => {
    isLooking = true
    for (let found: DatabaseServer | undefined; !found && !isClosed; ) {
      found = await findPrimary(urls)
      if (!found) await pause(lookEveryMs, undefined, { ref: false })
      else if (found.url !== current.url) {
        current = found
        for (const listener of listeners) listener()
      }
    }
    isLooking = false
  }

  return {
    current: () => current,
    lose: () => {
      if (urls.length > 1 && !isLooking) void look()
    },
    onMoved: (listener) => void listeners.push(listener),
    close: () => {
      isClosed = true
    },
  }
}
