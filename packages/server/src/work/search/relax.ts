/** A quoted phrase that is not excluded by a minus. */
const phrase = /(?<!(?:^|\s)-)["\u201c\u201d]([^"\u201c\u201d]+)["\u201c\u201d]/gu

/** A query without the quotes of its phrases; undefined where it has none. */
const withoutQuotes = (text: string): string | undefined => {
  const plain = text.replace(phrase, ' $1 ')
  return plain === text ? undefined : plain
}

/** Makes a search, and where nothing holds a quoted phrase, again without the quotes. */
export const searchRelaxed = async <F extends object>(
  text: string,
  search: (text: string) => Promise<F>,
  isEmpty: (found: F) => boolean,
): Promise<F & { arePhrasesIgnored?: boolean }> => {
  const found = await search(text)
  const plain = isEmpty(found) ? withoutQuotes(text) : undefined
  return plain === undefined ? found : { ...(await search(plain)), arePhrasesIgnored: true }
}
