import type { ErrorDetail } from '../../base/errors.js'
import { isStorable } from '../../base/text.js'

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** What is wrong with a query that cannot be read: the router has no way to refuse one. */
export const queryProblem = Symbol('problem')
/** Names of parameters that were given more than once. */
export const repeatedNames = Symbol('repeated')

export interface Query {
  [name: string]: string
  [queryProblem]?: ErrorDetail
  [repeatedNames]?: string[]
}

export const parseQuery = (text: string): Query => {
  const query: Query = Object.create(null)
  if (text === '') return query
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at))
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    if (name === undefined || value === undefined || !isStorable(name) || !isStorable(value)) {
      return { [queryProblem]: { path: name ?? 'query', message: 'is not valid percent-encoded UTF-8 text' } }
    }
    if (name in query) {
      query[repeatedNames] ??= []
      query[repeatedNames].push(name)
    }
    query[name] = value
  }
  return query
}
