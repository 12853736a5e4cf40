import { Type } from 'typebox'
import { nullable, Timestamp } from '../../base/fields.js'
import { isOfSessions } from '../../limits/windows.js'
import { scopes } from '../../operations/actor.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf } from '../../operations/result.js'
import { PausedOrNull } from '../pauses/schema.js'
import { User } from '../users/schema.js'
import { listQuotas } from './quotas.js'
import { describeCaller } from './service.js'
import { warningCodes, warningsFor } from './warnings.js'

const Named = Type.Object({ id: Type.String(), name: Type.String(), paused: PausedOrNull })

const Me = Type.Object(
  {
    tenant: Named,
    plan: Type.String({ examples: ['free'] }),
    key: Named,
    user: nullable(User),
    session: nullable(
      Type.Object(
        { id: Type.String(), expiresAt: Timestamp },
        { description: 'The session of the web console that this request was made with; null with an API key.' },
      ),
    ),
    scopes: Type.Array(Type.Enum([...scopes])),
    projects: nullable(
      Type.Array(Type.Object({ id: Type.String(), key: Type.String(), name: Type.String() }), {
        description: 'The projects the key is limited to; null for all.',
      }),
    ),
    limits: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['requests per minute'] }),
        limit: Type.Integer(),
        remaining: Type.Integer(),
        reset: Type.Integer({ description: 'Unix seconds' }),
      }),
    ),
    quotas: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['stored bytes'] }),
        limit: Type.Integer(),
        used: Type.Integer(),
      }),
      { description: 'What the tenant can have of something at a time; empty on a plan without quotas.' },
    ),
    embedding: nullable(
      Type.Object(
        {
          waiting: Type.Integer({ description: 'Records whose text semantic search does not know yet.' }),
          searchable: nullable(
            Type.Integer({ description: 'Records that semantic search finds, while others wait; null if none waits.' }),
          ),
          secondsLeft: nullable(
            Type.Integer({
              description:
                'Until none waits, at the pace of the last minute; null if none waits or it is not known yet.',
            }),
          ),
        },
        { description: 'Null if embeddings are off.' },
      ),
    ),
    warnings: Type.Array(Type.Object({ code: Type.Enum([...warningCodes]), message: Type.String() }), {
      description: 'What to act on before it becomes an error.',
    }),
  },
  { $id: 'Me' },
)

export const getMe = operation({
  name: 'getMe',
  summary: 'Get the current key, its permissions and its remaining rate limits',
  subject: 'Me',
  kind: 'read',
  input: Type.Object({}),
  output: dataOf(Me),
  run: async (call) => {
    const { actor, core, plan } = call
    const caller = await describeCaller(call)
    const windows = await core.limiter.look(actor.tenantId, plan)
    const limits = windows
      .filter(({ name }) => actor.sessionId !== undefined || !isOfSessions(name))
      .map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset }))
    const quotas = await listQuotas(call)
    const warnings = warningsFor(actor.keyExpiresAt, quotas, call.clock())
    const embedding = (await core.vectors?.progress(actor.tenantId)) ?? null
    return data({ ...caller, plan: plan.name, limits, quotas, embedding, warnings })
  },
})
