import { isListed } from '../../base/project-set.js'
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
  const projects = isListed(actor.projectIds) ? (await listProjects(call, { limit: 100 })).items : null
  return {
    tenant: { id: tenant.id, name: tenant.name, paused: tenant.paused },
    key: { id: actor.keyId, name: actor.keyName, paused: actor.pauses?.key ?? null },
    user: user ?? null,
    session: session && { id: session.id, expiresAt: session.expiresAt },
    scopes: actor.scopes,
    projects: projects?.map(({ id, key, name }) => ({ id, key, name })) ?? null,
  }
}
