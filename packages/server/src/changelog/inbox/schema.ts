import { type Static, Type } from 'typebox'
import { ActorRefSchema, nullable, Timestamp } from '../../base/fields.js'

const inboxKinds = ['question', 'answer', 'mention', 'assigned', 'exhausted', 'stale'] as const
export type InboxKind = (typeof inboxKinds)[number]

export const InboxEntry = Type.Object(
  {
    id: Type.String({ examples: ['inb_6pWk2NsX9dQf0TzRb4Lm'] }),
    kind: Type.Enum([...inboxKinds], {
      description:
        'A question asked to this user, the answer to one of theirs, a mention, an assignment, a task that used up its attempts, or one that relied on knowledge that no longer holds.',
    }),
    taskId: nullable(Type.String({ examples: ['ACME-12'] })),
    key: nullable(Type.String({ description: 'The knowledge item, where it is about one.' })),
    projectId: Type.String(),
    title: Type.String({ description: 'Of the task or the item.' }),
    excerpt: Type.String({ description: 'What was said, shortened to one line.' }),
    at: Timestamp,
    by: ActorRefSchema,
    readAt: nullable(Timestamp),
  },
  { $id: 'InboxEntry', description: 'Something that is meant for a user to see.' },
)
export type InboxEntry = Static<typeof InboxEntry>
/** What is stored of one: all but when it was read. */
export type UnreadEntry = Omit<InboxEntry, 'readAt'>
