import { Type } from 'typebox'
import { toJson } from '../../../base/json.js'
import { operation } from '../../../operations/operation.js'
import { dataOf, deleted, deletedBy, listOf, records } from '../../../operations/result.js'
import { KeyId } from '../schema.js'
import { issueLink } from './links.js'
import { ConsoleLink, ConsoleLinkOptions, Session, SessionId, SessionList } from './schema.js'
import * as sessions from './service.js'

const subject = 'Sessions'

export const listSessions = operation({
  name: 'listSessions',
  summary: 'List sessions of the web console, newest first: of the current key, or of all keys with the scope admin',
  subject,
  kind: 'read',
  input: SessionList,
  output: listOf(Session),
  run: async (call, input) => records(input, await sessions.listSessions(call, input)),
})

export const endSession = operation({
  name: 'endSession',
  summary: 'End a session of the web console at once: of the current key, or of any key with the scope admin',
  subject,
  kind: 'write',
  input: Type.Object({ sessionId: SessionId }),
  output: deletedBy('id'),
  errors: ['NOT_FOUND'],
  run: async (call, { sessionId }) => {
    await sessions.endSession(call, sessionId)
    return deleted({ id: sessionId })
  },
})

export const createConsoleLink = operation({
  name: 'createConsoleLink',
  summary: 'Create a link that signs in to the web console as an API key, once, within 10 minutes or up to 7 days',
  subject,
  kind: 'write',
  scope: 'admin',
  input: Type.Object({ keyId: KeyId, options: Type.Optional(ConsoleLinkOptions) }),
  output: dataOf(ConsoleLink),
  errors: ['NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { keyId, options }) => {
    const link = await issueLink(call, keyId, options)
    return { data: toJson(link), replayData: toJson({ ...link, link: null, path: null }) }
  },
})
