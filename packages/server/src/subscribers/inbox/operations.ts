import { Type } from 'typebox'
import { InboxEntry } from '../../changelog/inbox/schema.js'
import { operation } from '../../operations/operation.js'
import { data, dataOf, listOf, page } from '../../operations/result.js'
import { InboxQuery, ReadCount, ReadRequest } from './schema.js'
import * as inbox from './service.js'

const subject = 'Inbox'

export const listInbox = operation({
  name: 'listInbox',
  summary: "List what is meant for the key's user, newest first, or wait for it",
  subject,
  kind: 'read',
  isWaiting: ({ waitSeconds = 0 }) => waitSeconds > 0,
  changesOnlyOnCommit: ({ waitSeconds = 0 }) => waitSeconds === 0,
  input: InboxQuery,
  output: listOf(InboxEntry),
  wait: inbox.waitForEntry,
  run: async (call, input) => {
    const entries = await inbox.listInbox(call, input)
    return { ...page(input.limit ?? 50, entries), isEmpty: entries.items.length === 0 }
  },
})

export const readInbox = operation({
  name: 'readInbox',
  summary: 'Mark entries of the inbox as read',
  subject,
  kind: 'write',
  input: Type.Object({ request: ReadRequest }),
  output: dataOf(ReadCount),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  run: async (call, { request }) => data({ read: await inbox.markRead(call, request) }),
})
