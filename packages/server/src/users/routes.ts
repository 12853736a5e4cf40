import { PageQuery } from '../fields.js'
import { dataOf, deletedBy, listOf, sendData, sendDeleted, sendRecords } from '../http/answers.js'
import { answerOnce } from '../http/idempotent.js'
import type { Routes } from '../http/routes.js'
import { releaseUserKeys } from '../keys/service.js'
import { unassignUser } from '../tasks/service.js'
import { NewUser, User, UserParams, UserPatch } from './schema.js'
import * as users from './service.js'

const tags = ['Users']

export const userRoutes: Routes = (app) => {
  app.get(
    '/v1/users',
    {
      schema: {
        operationId: 'listUsers',
        summary: 'List users',
        tags,
        querystring: PageQuery,
        answers: { 200: listOf(User) },
      },
    },
    async (request, reply) => sendRecords(reply, request.query, await users.listUsers(request.call, request.query)),
  )

  app.get(
    '/v1/users/:userId',
    {
      config: { errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'getUser',
        summary: 'Get a user',
        tags,
        params: UserParams,
        answers: { 200: dataOf(User) },
      },
    },
    async (request, reply) => sendData(reply, await users.getUser(request.call, request.params.userId)),
  )

  app.post(
    '/v1/users',
    {
      config: { scope: 'admin', heeds: ['Idempotency-Key'], errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] },
      schema: {
        operationId: 'createUser',
        summary: 'Create a user',
        tags,
        body: NewUser,
        answers: { 201: dataOf(User) },
      },
    },
    (request, reply) =>
      answerOnce(request, reply, async (call) => {
        const user = await users.createUser(call, request.body)
        return { status: 201, headers: { location: `/v1/users/${user.id}` }, body: JSON.stringify({ data: user }) }
      }),
  )

  app.patch(
    '/v1/users/:userId',
    {
      config: { scope: 'admin', errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'updateUser',
        summary: 'Change the fields sent',
        tags,
        params: UserParams,
        body: UserPatch,
        answers: { 200: dataOf(User) },
      },
    },
    async (request, reply) =>
      sendData(reply, await users.updateUser(request.call, request.params.userId, request.body)),
  )

  app.delete(
    '/v1/users/:userId',
    {
      config: { scope: 'admin', errors: ['NOT_FOUND'] },
      schema: {
        operationId: 'deleteUser',
        summary: 'Delete a user and unassign their tasks',
        tags,
        params: UserParams,
        answers: { 200: deletedBy('id') },
      },
    },
    async (request, reply) => {
      const { id } = await users.deleteUser(request.call, request.params.userId, async (call, userId) => {
        await unassignUser(call, userId)
        await releaseUserKeys(call, userId)
      })
      return sendDeleted(reply, { id })
    },
  )
}
