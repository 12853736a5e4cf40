import { Lexer, type Token, type TokenizerExtensionFunction } from 'marked'
import type { CodePart, CodeRequest } from './code-part'
import type { ItemLinkToken } from './item-links'

/** More elements than this take the page seconds to lay out. */
const maxTokens = 20_000

/** Deeper nesting serves only to exhaust the stack. */
const maxDepth = 100

interface Nested {
  type?: string
  depth?: number
  rank?: number
  tokens?: Nested[]
  items?: Nested[]
  header?: Nested[] | boolean
  rows?: Nested[][]
}

/** Ranks headings one by one below the page's own, whatever the text does; false where there is too much to render. */
const prepare = (tokens: readonly Nested[]): boolean => {
  let count = 0
  let rank = 2
  const visit = (list: readonly Nested[], depth: number): boolean => {
    count += list.length
    if (count > maxTokens || depth > maxDepth) return false
    return list.every((token) => {
      if (token.type === 'heading') {
        rank = Math.min(token.depth! + 2, rank + 1, 6)
        token.rank = rank
      }
      const { type, tokens = [], items = [], header, rows } = token
      // A cell has a header too, but as a yes or no.
      const cells = type === 'table' ? [header as Nested[], ...rows!] : []
      return [tokens, items, ...cells].every((inner) => visit(inner, depth + 1))
    })
  }
  return visit(tokens, 0)
}

/** `[[key]]`, `[[key#heading]]` and `[[key|label]]`, also as an embedded item. */
const itemLink = /^!?\[\[(?! )([^[\]|#\n]{1,512})(?:#[^[\]|\n]*)?(?:\|([^[\]\n]*))?\]\]/

const tokenizeItemLink: TokenizerExtensionFunction = (source): ItemLinkToken | undefined => {
  const [raw, target, label] = itemLink.exec(source) ?? []
  return raw === undefined
    ? undefined
    : { type: 'itemLink', raw, target: target!, label: label?.trim() || target!.trim() }
}

const extensions = { inline: [tokenizeItemLink], childTokens: {}, renderers: {} }

const lex = (text: string): Token[] | null => {
  try {
    const tokens = new Lexer({ gfm: true, extensions }).lex(text)
    return prepare(tokens as readonly Nested[]) ? [...tokens] : null
  } catch {
    return null
  }
}

const highlight = ({ code, language }: CodeRequest): Promise<CodePart[] | null> =>
  import('./highlight').then(
    ({ highlight }) => highlight(code, language),
    () => null,
  )

addEventListener('message', async ({ data }: MessageEvent<string | CodeRequest>) => {
  postMessage(typeof data === 'string' ? lex(data) : await highlight(data))
})
postMessage('ready')
