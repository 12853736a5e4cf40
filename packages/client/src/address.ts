import { invalid } from './error-of.js'

type QueryValue = string | number | boolean | readonly string[] | null | undefined

/** Lists are joined by commas, which the service reads as "any of"; what is undefined is left out. */
export const queryOf = (query: object): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, QueryValue][]) {
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text && `?${text}`
}

/** `.` and `..` would lead to another address, however encoded, and an empty segment to the list. */
const segment = (name: string, text: string): string => {
  if (text === '' || text === '.' || text === '..') {
    throw invalid(
      name,
      text === '' ? 'must not be empty or contain an empty segment' : `must not contain the segment "${text}"`,
    )
  }
  try {
    return encodeURIComponent(text)
  } catch {
    throw invalid(name, 'must not contain an unpaired surrogate')
  }
}

/** Collections and ids by turns, and an action at the end where there is one. */
export const recordPath = (...parts: string[]): string =>
  `/v1/${parts.map((part, index) => (index % 2 ? segment('id', part) : part)).join('/')}`

/** The slashes stay as they are: many proxies refuse or mangle encoded ones. */
export const knowledgePath = (key: string): string =>
  `/v1/knowledge/${key
    .split('/')
    .map((part) => segment('key', part))
    .join('/')}`
