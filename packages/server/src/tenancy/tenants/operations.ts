import { Type } from 'typebox'
import { Timestamp } from '../../base/fields.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf } from '../../operations/result.js'
import { PauseChange, PausedOrNull } from '../pauses/schema.js'
import { pauseTenant, tenantNamed } from './service.js'

const subject = 'Tenant'

const Tenant = Type.Object(
  {
    id: Type.String({ examples: ['ten_2nQ8vLk5RbN0cWz7JdPq'] }),
    name: Type.String({ examples: ['default'] }),
    plan: Type.String({ examples: ['free'] }),
    createdAt: Timestamp,
    paused: PausedOrNull,
  },
  { $id: 'Tenant' },
)

const TenantPatch = Type.Object({ paused: Type.Optional(PauseChange) }, { additionalProperties: false })

export const getTenant = operation({
  name: 'getTenant',
  summary: 'Get the tenant of the current key',
  subject,
  kind: 'read',
  input: Type.Object({}),
  output: dataOf(Tenant),
  run: async ({ db, actor }) => data(await tenantNamed(db, actor.tenantId)),
})

export const updateTenant = operation({
  name: 'updateTenant',
  summary: 'Pause everything, or resume it',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ patch: TenantPatch }),
  output: dataOf(Tenant),
  run: async (call, { patch }) => data(await pauseTenant(call, patch.paused)),
})
