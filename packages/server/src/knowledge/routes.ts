import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { invalid } from '../errors.js'
import {
  dataOf,
  deletedBy,
  listOf,
  sendDeleted,
  sendJson,
  sendPage,
  sendRecord,
  sendWhenRead,
} from '../http/answers.js'
import { preconditionsOf } from '../http/preconditions.js'
import type { Routes } from '../http/routes.js'
import { Semantic } from '../search/schema.js'
import { listItems } from './list.js'
import {
  ItemQuery,
  KnowledgeHit,
  KnowledgeItem,
  KnowledgeListQuery,
  KnowledgeParams,
  KnowledgeSearchQuery,
  KnowledgeWrite,
  ListedItem,
} from './schema.js'
import { searchItems } from './search.js'
import * as knowledge from './service.js'

const tags = ['Knowledge']
const prefix = '/v1/knowledge/'

/** Read from the address itself and decoded once, so that `a%2Fb` and `a/b` are the same key. */
const keyOf = ({ url }: FastifyRequest): string => {
  // Counted in slashes, since the words before may be percent-encoded too.
  const start = url.indexOf('/', url.indexOf('/', 1) + 1) + 1
  const end = url.indexOf('?')
  try {
    return decodeURIComponent(url.slice(start, end < 0 ? undefined : end))
  } catch {
    throw invalid({ path: 'key', message: 'is not valid percent-encoded UTF-8 text' })
  }
}

const locationOf = (key: string): string => prefix + key.split('/').map(encodeURIComponent).join('/')

export const knowledgeRoutes: Routes = (app, { search }) => {
  app.get(
    '/v1/knowledge',
    {
      config: { scope: 'knowledge:read' },
      schema: {
        operationId: 'listKnowledge',
        summary: 'List knowledge items by key',
        tags,
        querystring: KnowledgeListQuery,
        answers: { 200: listOf(ListedItem) },
      },
    },
    async (request, reply) => sendPage(reply, request.query.limit ?? 100, await listItems(request.call, request.query)),
  )

  app.get(
    `${prefix}search`,
    {
      config: { scope: 'knowledge:read', limit: 'searches' },
      schema: {
        operationId: 'searchKnowledge',
        summary: 'Search knowledge',
        tags,
        querystring: KnowledgeSearchQuery,
        answers: { 200: Type.Object({ data: Type.Array(KnowledgeHit), semantic: Semantic }) },
      },
    },
    async (request, reply) => {
      const { items, isSemantic } = await searchItems(request.call, search, request.query)
      return sendJson(reply, `{"data":[${items.join(',')}],"semantic":${isSemantic}}`)
    },
  )

  app.get(
    `${prefix}*`,
    {
      config: { scope: 'knowledge:read', heeds: ['If-None-Match'], errors: ['NOT_FOUND', 'CONFLICT'] },
      schema: {
        operationId: 'getKnowledge',
        summary: 'Get a knowledge item',
        tags,
        params: KnowledgeParams,
        querystring: ItemQuery,
        answers: { 200: dataOf(KnowledgeItem) },
      },
    },
    (request, reply) =>
      sendWhenRead(request, reply, knowledge.getItem(request.call, keyOf(request), request.query.projectId)),
  )

  app.put(
    `${prefix}*`,
    {
      config: {
        scope: 'knowledge:write',
        limit: 'knowledgeWrites',
        heeds: ['If-Match', 'If-None-Match'],
        errors: ['PRECONDITION_FAILED'],
      },
      schema: {
        operationId: 'putKnowledge',
        summary: 'Create or replace a knowledge item',
        tags,
        params: KnowledgeParams,
        body: KnowledgeWrite,
        answers: { 200: dataOf(KnowledgeItem), 201: dataOf(KnowledgeItem) },
      },
    },
    async (request, reply) => {
      const item = await knowledge.putItem(request.call, keyOf(request), request.body, preconditionsOf(request))
      if (item.isCreated) reply.code(201).header('location', locationOf(item.key))
      return sendRecord(request, reply, item)
    },
  )

  app.delete(
    `${prefix}*`,
    {
      config: {
        scope: 'knowledge:write',
        heeds: ['If-Match'],
        errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
      },
      schema: {
        operationId: 'deleteKnowledge',
        summary: 'Delete a knowledge item',
        tags,
        params: KnowledgeParams,
        querystring: ItemQuery,
        answers: { 200: deletedBy('key') },
      },
    },
    async (request, reply) => {
      const key = keyOf(request)
      await knowledge.deleteItem(request.call, key, request.query.projectId, preconditionsOf(request))
      return sendDeleted(reply, { key })
    },
  )
}
