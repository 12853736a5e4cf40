import { randomBase62 } from '../../base/ids.js'
import type { Json } from '../../base/json.js'
import { beginningOf } from '../../base/text.js'

export const parsed = <T>(json: Json<T>): T => JSON.parse(json)

/** Long titles are cut in lists; the record itself has all of them. */
export const maxTitleLength = 120

const plainWord = /^[\p{L}\p{N}_][\p{L}\p{N}._/:+@-]*$/u

/** A name as it is where it is one word, otherwise in quotes: it cannot be taken for more than a name. */
export const word = (text: string): string => (plainWord.test(text) ? text : JSON.stringify(text))

export const quoted = (text: string, maxLength = maxTitleLength): string =>
  JSON.stringify(text.length > maxLength ? `${beginningOf(text, maxLength - 1)}…` : text)

const maxEchoLength = 200

/** What an answer repeats of a request: cut in the middle where it is long, since the end may say what to do. */
export const excerpt = (text: string, maxLength = maxEchoLength): string => {
  if (text.length <= maxLength) return text
  const endLength = Math.floor(maxLength / 3)
  const end = text.slice(-endLength).replace(/^[\udc00-\udfff]/, '')
  return `${beginningOf(text, maxLength - endLength - 1)}…${end}`
}

export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`

export const totalText = ({ total, totalIsCapped }: { total?: number; totalIsCapped?: true }): string =>
  `${total ?? 0}${totalIsCapped ? '+' : ''}`

/** Text that others wrote, marked as data. It cannot end the mark itself. */
export const asData = (text: string): string => {
  const mark = text.includes('</data') ? `data-${randomBase62(8)}` : 'data'
  return `<${mark}>\n${text}\n</${mark}>`
}

const halfDayMs = 12 * 60 * 60 * 1_000

/** A time in UTC, without the date where it is less than half a day away. */
export const timeText = (iso: string, nowMs: number): string => {
  const minute = iso.slice(11, 16)
  return Math.abs(Date.parse(iso) - nowMs) < halfDayMs ? minute : `${iso.slice(0, 10)} ${minute}`
}

export const dayText = (iso: string): string => iso.slice(0, 16).replace('T', ' ')
