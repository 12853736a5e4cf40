import type { Call } from '../../operations/call.js'
import { currentSession } from '../keys/sessions/service.js'
import { listProjects } from '../projects/service.js'
import { tenantNamed } from '../tenants/service.js'
import { findUser } from '../users/service.js'

/** Who makes this call, and what they may touch. */
export const describeCaller = async (call: Call) => {
  const { actor } = call
  const tenant = await tenantNamed(call.db, actor.tenantId)
  const user = actor.userId === null ? null : await findUser(call, actor.userId)
  const session = await currentSession(call)
  const projects = actor.projectIds && (await listProjects(call, { limit: 100 })).items
  return {
    tenant: { id: tenant.id, name: tenant.name },
    key: { id: actor.keyId, name: actor.keyName },
    user: user ?? null,
    session: session && { id: session.id, expiresAt: session.expiresAt },
    scopes: actor.scopes,
    projects: projects?.map(({ id, key, name }) => ({ id, key, name })) ?? null,
  }
}
