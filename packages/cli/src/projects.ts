import type { Worklore } from 'worklore-client'

/** The keys of projects by their ids, fetched where at least one is asked for. */
export const projectKeys = async (wl: Worklore, ids: readonly (string | null)[]): Promise<Map<string, string>> => {
  const keys = new Map<string, string>()
  if (ids.every((id) => id === null)) return keys
  for await (const { id, key } of wl.projects.list({ limit: 100 })) keys.set(id, key)
  return keys
}
