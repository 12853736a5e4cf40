import type { StoreSettings } from './open.js'
import type { Db } from './port.js'

const addressOf = (databaseUrl: string): string => {
  const { hostname, port, pathname } = new URL(databaseUrl)
  return `${hostname}:${port || 5432}${pathname}`
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  if (cause === undefined) return message
  const { code, message: reason } = cause as { code?: string; message?: string }
  return reason || code || message
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
