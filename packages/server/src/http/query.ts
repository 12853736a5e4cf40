import { invalid } from '../errors.js'
import { isStorable } from '../text.js'

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** A misspelt or doubled parameter is refused, never dropped or guessed at. */
export const parseQuery = (text: string): Record<string, string> => {
  const query: Record<string, string> = Object.create(null)
  if (text === '') return query
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const name = decode(at < 0 ? part : part.slice(0, at))
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    if (name === undefined || value === undefined || !isStorable(name) || !isStorable(value)) {
      throw invalid({ path: name ?? 'query', message: 'is not valid percent-encoded UTF-8 text' })
    }
    if (name in query) throw invalid({ path: name, message: 'is given twice' })
    query[name] = value
  }
  return query
}
