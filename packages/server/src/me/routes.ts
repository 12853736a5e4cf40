import { Type } from 'typebox'
import { scopes } from '../actor.js'
import { nullable } from '../fields.js'
import { dataOf, sendData } from '../http/answers.js'
import type { Routes } from '../http/routes.js'
import { User } from '../users/schema.js'
import { describeCaller } from './service.js'

const Named = Type.Object({ id: Type.String(), name: Type.String() })

const Me = Type.Object(
  {
    tenant: Named,
    plan: Type.String({ examples: ['free'] }),
    key: Named,
    user: nullable(User),
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
  },
  { $id: 'Me' },
)

export const meRoutes: Routes = (app, { limiter }) => {
  app.get(
    '/v1/me',
    {
      schema: {
        operationId: 'getMe',
        summary: 'Who this key is, what it may do and what is left of its limits',
        tags: ['Me'],
        answers: { 200: dataOf(Me) },
      },
    },
    async (request, reply) => {
      const caller = await describeCaller(request.call)
      const windows = await limiter.look(request.call.actor.tenantId, request.plan)
      const limits = windows.map(({ name, limit, remaining, reset }) => ({ name, limit, remaining, reset }))
      return sendData(reply, { ...caller, plan: request.plan.name, limits })
    },
  )
}
