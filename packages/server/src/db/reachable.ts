import { urlsOfHosts } from '../base/postgres-urls.js'
import type { StoreSettings } from './open.js'
import type { Db } from './port.js'

const addressOf = (databaseUrl: string): string => {
  const urls = urlsOfHosts(databaseUrl).map((url) => new URL(url))
  return `${urls.map(({ hostname, port }) => `${hostname}:${port || 5432}`).join(', ')}${urls[0]!.pathname}`
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  if (cause === undefined) return message
  const { code, message: reason } = cause as { code?: string; message?: string }
  return reason || code || message
}

/** A pooler passes no notifications on, which nodes need to hear of each other's commits. */
export const expectNotifications = (db: Db): void => {
  if (db.hearsOthers) return
  throw new Error(
    'The database is behind a connection pooler, through which nodes cannot notify each other. Set WORKLORE_LISTEN_URL to the URL of the PostgreSQL server itself.',
  )
}

/** Says which database does not answer, and why, before anything is done with it. Its password is not shown. */
export const expectReachable = async (db: Db, { databaseUrl }: StoreSettings): Promise<void> => {
  if (databaseUrl === undefined) return
  try {
    await db.ping()
  } catch (error) {
    throw new Error(
      `Cannot use the PostgreSQL database at ${addressOf(databaseUrl)}: ${reasonOf(error)}. Check DATABASE_URL, and that the server is running.`,
      { cause: error },
    )
  }
}
