import { type AppError, invalid } from '../errors.js'
import { isStorable } from '../text.js'

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Stands in a query that cannot be read. The router has no way to refuse one, so its validation does. */
export const queryProblem = Symbol('problem')

export interface Query {
  [name: string]: string
  [queryProblem]?: AppError
}

const unreadable = (path: string, message: string): Query => ({ [queryProblem]: invalid({ path, message }) })

/** A misspelt or doubled parameter is refused, never dropped or guessed at. */
export const parseQuery = (text: string): Query => {
  const query: Query = Object.create(null)
  if (text === '') return query
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at))
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    if (name === undefined || value === undefined || !isStorable(name) || !isStorable(value)) {
      return unreadable(name ?? 'query', 'is not valid percent-encoded UTF-8 text')
    }
    if (name in query) return unreadable(name, 'is given twice')
    query[name] = value
  }
  return query
}
