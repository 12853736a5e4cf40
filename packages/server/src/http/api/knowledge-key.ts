import { invalid } from '../../base/errors.js'

/** The key in a path, read from the address itself and decoded once, so that `a%2Fb` and `a/b` are the same key. */
export const knowledgeKeyOf = (url: string): string => {
  // Counted in slashes, since the words before may be percent-encoded too.
  const start = url.indexOf('/', url.indexOf('/', 1) + 1) + 1
  const end = url.indexOf('?')
  try {
    return decodeURIComponent(url.slice(start, end < 0 ? undefined : end))
  } catch {
    throw invalid({ path: 'key', message: 'is not valid percent-encoded UTF-8 text' })
  }
}
