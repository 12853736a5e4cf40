import { expectStatus } from 'worklore-testing/expect'
import { createKey, createUser } from 'worklore-testing/factories'
import type { TestTenant } from 'worklore-testing/harness'

/** A user with a key, and what the user finds in the inbox. */
export interface Person {
  id: string
  handle: string
  keyId: string
  key: string
  /** The entries, the newest first. */
  inbox(query?: string): Promise<Entry[]>
}

export interface Entry {
  id: string
  kind: string
  taskId: string | null
  projectId: string
  title: string
  excerpt: string
  by: { keyId: string; keyName: string; userId: string | null }
  readAt: string | null
}

export const createPerson = async (wl: TestTenant, name: string, keyFields: object = {}): Promise<Person> => {
  const { id, handle } = await createUser(wl, { name })
  const { id: keyId, key } = await createKey(wl, { userId: id, ...keyFields })
  const inbox = async (query = 'state=all'): Promise<Entry[]> =>
    expectStatus(await wl.get(`/v1/inbox?${query}`, { key }), 200).body.data
  return { id, handle, keyId, key, inbox }
}

export const kindsOf = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind)
