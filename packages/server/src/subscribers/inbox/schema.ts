import { type Static, Type } from 'typebox'
import { Cursor, Limit } from '../../base/fields.js'
import { maxEntriesPerUser } from '../../changelog/inbox/notify.js'

const EntryId = Type.String({ minLength: 1, maxLength: 64, examples: ['inb_6pWk2NsX9dQf0TzRb4Lm'] })

export const InboxQuery = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(['unread', 'all'], { default: 'unread', description: 'Only entries that were not read, or all.' }),
    ),
    after: Type.Optional(
      Type.String({
        pattern: '^inb_[0-9A-Za-z]{20}$',
        patternMessage: 'must be the id of an inbox entry, such as inb_6pWk2NsX9dQf0TzRb4Lm',
        description: 'Only entries that are newer than this one, also where it is gone since.',
        examples: ['inb_6pWk2NsX9dQf0TzRb4Lm'],
      }),
    ),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'How long to wait for an entry if there is none; with `after`, for a newer one.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type InboxQuery = Static<typeof InboxQuery>

export const ReadRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(EntryId, { minItems: 1, maxItems: maxEntriesPerUser, description: 'These entries.' }),
    ),
    upTo: Type.Optional({ ...EntryId, description: 'This entry and all older ones.' }),
  },
  { additionalProperties: false, examples: [{ ids: ['inb_6pWk2NsX9dQf0TzRb4Lm'] }] },
)
export type ReadRequest = Static<typeof ReadRequest>

export const ReadCount = Type.Object(
  { read: Type.Integer({ description: 'How many entries were unread before.' }) },
  { $id: 'InboxReadCount' },
)
