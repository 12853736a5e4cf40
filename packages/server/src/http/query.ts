import type { ErrorDetail } from '../errors.js'
import { isStorable } from '../text.js'

const problem = Symbol('what is wrong with a query')

type Query = Record<string, string> & { [problem]?: ErrorDetail }

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * A misspelt or doubled parameter is refused, never dropped or guessed at. The router calls this and would leave the
 * request unanswered if it threw, so what is wrong is noted for the validation.
 */
export const parseQuery = (text: string): Query => {
  const query: Query = Object.create(null)
  if (text === '') return query
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at))
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    if (name === undefined || value === undefined || !isStorable(name) || !isStorable(value)) {
      query[problem] ??= { path: name ?? 'query', message: 'is not valid percent-encoded UTF-8 text' }
    } else if (name in query) {
      query[problem] ??= { path: name, message: 'is given twice' }
    } else {
      query[name] = value
    }
  }
  return query
}

export const queryProblem = (query: Query): ErrorDetail | undefined => query[problem]
