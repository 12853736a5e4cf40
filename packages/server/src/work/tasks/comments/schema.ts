import { type Static, Type } from 'typebox'
import { ActorRefSchema, Timestamp, Version } from '../../../base/fields.js'

export const maxBodyBytes = 65_536

const Body = Type.String({
  minLength: 1,
  maxLength: maxBodyBytes,
  description: 'Markdown, up to 64 KiB of UTF-8.',
  examples: ['The redirect drops the query. Fixed in the session middleware.'],
})

export const Comment = Type.Object(
  {
    id: Type.String({ examples: ['cmt_6pWk2NsX9dQf0TzRb4Lm'] }),
    taskId: Type.String({ examples: ['ACME-12'] }),
    body: Body,
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    createdBy: ActorRefSchema,
  },
  { $id: 'Comment' },
)
export type Comment = Static<typeof Comment>

export const CommentText = Type.Object(
  { body: Body },
  { additionalProperties: false, examples: [{ body: 'The redirect drops the query.' }] },
)
export type CommentText = Static<typeof CommentText>

export const CommentId = Type.String({ examples: ['cmt_6pWk2NsX9dQf0TzRb4Lm'] })
