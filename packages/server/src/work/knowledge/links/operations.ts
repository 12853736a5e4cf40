import { operation } from '../../../operations/operation.js'
import { listOf, records } from '../../../operations/result.js'
import { listLinks } from './list.js'
import { KnowledgeLink, LinkQuery } from './schema.js'

export const listKnowledgeLinks = operation({
  name: 'listLinks',
  summary: 'List the links from or to a knowledge item, or to a task',
  subject: 'Knowledge',
  kind: 'read',
  scope: 'knowledge:read',
  input: LinkQuery,
  output: listOf(KnowledgeLink),
  errors: ['NOT_FOUND', 'CONFLICT'],
  run: async (call, query) => records(query, await listLinks(call, query)),
})
