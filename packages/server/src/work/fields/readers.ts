import { isoTime } from '../../base/clock.js'
import { parseMoment } from '../../base/dates.js'
import type { Report } from '../../base/record.js'
import { characterCount, utf8Length } from '../../base/text.js'

export type ReadText = (text: string, report: Report) => string
export type ReadTexts = (texts: readonly string[], report: Report) => string[]

/** A line of text, trimmed. */
export const readTitle =
  (maxCharacters: number): ReadText =>
  (text, report) => {
    const title = text.trim()
    const length = characterCount(title)
    if (length === 0) report('must not be empty')
    if (length > maxCharacters) report(`must have at most ${maxCharacters} characters, not ${length}`)
    return title
  }

export const readUpToKiB =
  (max: number): ReadText =>
  (text, report) => {
    if (utf8Length(text) > max * 1_024) report(`must have at most ${max} KiB of UTF-8`)
    return text
  }

export const readDueDate: ReadText = (text, report) => {
  const moment = parseMoment(text)
  if (!moment) report('must be a valid date (2026-01-31), or a timestamp with a time zone')
  return moment?.text ?? text
}

export const readTime: ReadText = (text, report) => {
  const moment = parseMoment(text)
  if (!moment) report('must be a timestamp with a time zone, or a valid date')
  return moment ? isoTime(moment.ms) : text
}

export const withoutDuplicates: ReadTexts = (texts) => [...new Set(texts)]

export const readLabels: ReadTexts = (texts, report) => {
  const labels = texts.map((text) => text.trim())
  for (const [index, label] of labels.entries()) if (label === '') report('must not be empty', index)
  return [...new Set(labels)]
}
