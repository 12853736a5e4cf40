import type { PatchKnowledgeBody } from 'worklore-client'
import { listOf } from '../input.js'
import { text, texts } from '../option.js'
import { futureTime } from '../times.js'

/** The fields of a note that are set beside its text. */
export const noteOptions = {
  title: text('TEXT', 'A title, or none'),
  tag: texts('TAG', 'Replaces all tags; repeat it, or separate several with commas; none removes them'),
  source: text('TEXT', 'Where it comes from, or none'),
  'valid-until': text('TIME', 'It expires then: 30d, a date, a time, or none'),
  supersedes: texts('KEY', 'A note that it replaces, of the same project; repeat it; none removes them all'),
}

interface Values {
  title?: string | undefined
  tag?: string[] | undefined
  source?: string | undefined
  'valid-until'?: string | undefined
  supersedes?: string[] | undefined
}

const orNull = (value: string | undefined): string | null | undefined => (value === 'none' ? null : value)

const withoutNone = (values: string[] | undefined): string[] | undefined => values?.filter((value) => value !== 'none')

/** Those that were given. */
export const noteFields = (values: Values): PatchKnowledgeBody => {
  const until = orNull(values['valid-until'])
  const fields: PatchKnowledgeBody = {
    title: orNull(values.title),
    tags: withoutNone(listOf(values.tag)),
    source: orNull(values.source),
    validUntil: until === null ? null : futureTime('--valid-until', until),
    supersedes: withoutNone(values.supersedes),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
