import { Type } from 'typebox'
import { type Json, toJson } from '../../base/json.js'
import type { Result } from '../../operations/result.js'
import type { KnowledgeItem } from './schema.js'

/** Of an item whose content is answered in part. */
export const ContentRange = Type.Optional(
  Type.Object(
    { start: Type.Integer(), end: Type.Integer(), length: Type.Integer({ description: 'Of the whole content.' }) },
    { description: 'With `start` or `end`: the part of the content that `data` has.' },
  ),
)

/** The nearest position that does not part a character. */
const whole = (content: string, position: number): number => {
  const at = Math.min(position, content.length)
  return /[\udc00-\udfff]/.test(content.charAt(at)) && /[\ud800-\udbff]/.test(content.charAt(at - 1)) ? at - 1 : at
}

/** The answer with the content between two positions; all of it where neither is given. */
export const withContentRange = (
  result: Result,
  { start, end }: { start?: number | undefined; end?: number | undefined },
): Result => {
  if (start === undefined && end === undefined) return result
  const { content, ...item } = JSON.parse(result.data as Json<KnowledgeItem>) as KnowledgeItem
  const { length } = content
  const from = whole(content, start ?? 0)
  const to = Math.max(from, whole(content, end ?? length))
  return {
    ...result,
    data: toJson({ ...item, content: content.slice(from, to) }),
    more: { ...result.more, range: { start: from, end: to, length } },
  }
}
