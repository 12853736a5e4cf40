import { type IndexFilter, isStopPhrase } from 'worklore-search'
import { isListed, type ProjectSet } from '../../base/project-set.js'

/** A quoted phrase that is not excluded by a minus. */
const phrase = /(?<!(?:^|\s)-)["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]/gu

/** A query without the quotes of its phrases; undefined where it has none. */
const withoutQuotes = (text: string): string | undefined => {
  const plain = text.replace(phrase, ' $1 ')
  return plain === text ? undefined : plain
}

/** Stop words alone as a phrase; undefined where there are others, or too few of them. */
const asPhrase = (text: string): string | undefined =>
  /["\u201c\u201d]/u.test(text) || !isStopPhrase(text) ? undefined : `"${text.trim()}"`

/**
 * Makes a search, and where nothing holds a quoted phrase, again without the quotes. Stop words, which are looked for in
 * titles, are looked for in texts where no title holds them.
 */
export const searchRelaxed = async <F extends object>(
  text: string,
  search: (text: string) => Promise<F>,
  isEmpty: (found: F) => boolean,
): Promise<F & { arePhrasesIgnored?: boolean }> => {
  const found = await search(text)
  if (!isEmpty(found)) return found
  const phrase = asPhrase(text)
  if (phrase !== undefined) return search(phrase)
  const plain = withoutQuotes(text)
  return plain === undefined ? found : { ...(await search(plain)), arePhrasesIgnored: true }
}

/** The projects that are searched, as the index knows them. */
export const scopesOf = (set: ProjectSet): Pick<IndexFilter, 'scopes' | 'exceptScopes'> => {
  if (set === null) return {}
  return isListed(set) ? { scopes: set } : { exceptScopes: set.except }
}
