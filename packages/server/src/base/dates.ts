import { isoTime } from './clock.js'
import { invalid } from './errors.js'

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/
const timestampForm =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):([0-5]\d)(:([0-5]\d|60)(\.\d{1,9})?)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/

const earliestMs = Date.parse('0000-01-01T00:00:00.000Z')
const latestMs = Date.parse('9999-12-31T23:59:59.999Z')

const isRealDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

interface Moment {
  ms: number
  /** A date as it was given, a timestamp in UTC. */
  text: string
}

/** A real date or a timestamp with its zone; anything else is undefined. */
export const parseMoment = (text: string): Moment | undefined => {
  if (dateForm.test(text)) return isRealDate(text) ? { ms: Date.parse(`${text}T00:00:00.000Z`), text } : undefined
  const match = timestampForm.exec(text)
  if (!match || !isRealDate(match[1]!)) return undefined
  const ms = Date.parse(text.replace(' ', 'T').toUpperCase())
  // In UTC it may leave the years that have four digits.
  return ms >= earliestMs && ms <= latestMs ? { ms, text: isoTime(ms) } : undefined
}

/** The time that a parameter names, in milliseconds. */
export const timeOf = (path: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const moment = parseMoment(text)
  if (!moment) throw invalid({ path, message: 'must be a valid date, or a timestamp with a time zone' })
  return moment.ms
}
