import type { Me, Paused, Tenant } from 'worklore-client'
import type { Observable } from '../store/base/observable'
import type { Console } from '../store/console'

/** What can be paused: everything, a project or the key of an agent. */
export interface PauseTarget {
  what: 'tenant' | 'project' | 'key'
  id: string
  name: string
  paused: Paused | null
}

/** Shows the pause of everything as it is now. */
export const showTenant = (me: Observable<Me>, { paused }: Tenant): void =>
  me.update((known) => (known.tenant.paused === paused ? known : { ...known, tenant: { ...known.tenant, paused } }))

/** Pauses or, without a reason, resumes something, and shows it before the event of it comes. */
export const setPaused = async (
  { client, me, projects, keys }: Console,
  { what, id }: PauseTarget,
  reason: string | null,
): Promise<void> => {
  const change = { paused: reason === null ? null : { reason } }
  if (what === 'project') projects.put(await client.projects.update(id, change))
  else if (what === 'key') keys.put(await client.keys.update(id, change))
  else showTenant(me, await client.tenant.update(change))
}
