import type { Token, Tokens } from 'marked'
import { Fragment, memo, type ReactNode, Suspense, useContext, useEffect, useState } from 'react'
import { onDemand } from '../components/on-demand'
import { useSettled } from '../layout/use-settled'
import { ItemLinksContext, type ItemLinkToken } from './item-links'
import { type Lexed, MarkdownLexerContext } from './lexer'
import { plainText } from './plain-text'
import { TaskLinkedText } from './task-links'

const HighlightedCode = onDemand(() => import('./highlighted-code'))

/** Longer codes have one color. */
const maxHighlighted = 20_000

/** Deeper nesting is shown as source; it serves only to exhaust the stack. */
const maxDepth = 24

const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** The lexer leaves entities as they are written. */
const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
        if (name) return namedEntities[name.toLowerCase()] ?? whole
        const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
        return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole
      })
    : text

/** The address of a link, if it is one that cannot run anything. */
const safeHref = (href: string): string | undefined => {
  try {
    const { protocol } = new URL(href, 'https://relative.invalid')
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? href : undefined
  } catch {
    return undefined
  }
}

const Anchor = ({ href, children }: { href: string; children: ReactNode }): ReactNode => {
  const safe = safeHref(href)
  return safe === undefined ? (
    <span>{children}</span>
  ) : (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** A Markdown link, which may lead to an item. */
const TextLink = ({ href, children }: { href: string; children: ReactNode }): ReactNode => {
  const links = useContext(ItemLinksContext)
  const item = links?.byHref(href)
  return links && item ? <links.Link item={item}>{children}</links.Link> : <Anchor href={href}>{children}</Anchor>
}

/** `[[key]]` in a text. */
const ItemLink = ({ raw, target, label }: ItemLinkToken): ReactNode => {
  const links = useContext(ItemLinksContext)
  const item = links?.byName(target)
  return links && item ? <links.Link item={item}>{label}</links.Link> : raw
}

const inline = (tokens: readonly Token[] | undefined, depth: number, isLink = false): ReactNode =>
  tokens?.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
    <Fragment key={index}>{inlineToken(token, depth + 1, isLink)}</Fragment>
  ))

const inlineToken = (token: Token, depth: number, isLink: boolean): ReactNode => {
  if (depth > maxDepth) return token.raw
  switch (token.type) {
    case 'text':
    case 'escape': {
      const { tokens, text } = token as Tokens.Text
      if (tokens) return inline(tokens, depth, isLink)
      return isLink ? decodeEntities(text) : <TaskLinkedText text={decodeEntities(text)} />
    }
    case 'strong':
      return <strong>{inline(token.tokens, depth, isLink)}</strong>
    case 'em':
      return <em>{inline(token.tokens, depth, isLink)}</em>
    case 'del':
      return <del>{inline(token.tokens, depth, isLink)}</del>
    case 'codespan':
      return <code>{decodeEntities(token.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return <TextLink href={decodeEntities(token.href)}>{inline(token.tokens, depth, true)}</TextLink>
    case 'itemLink':
      return isLink ? (token as ItemLinkToken).label : <ItemLink {...(token as ItemLinkToken)} />
    case 'image':
      // Nothing is loaded from outside: an image is a link to it.
      return <Anchor href={decodeEntities(token.href)}>{`🖼 ${decodeEntities(token.text || token.href)}`}</Anchor>
    default:
      return token.raw
  }
}

interface RankedHeading extends Tokens.Heading {
  /** As the lexer's worker set it. */
  rank: 3 | 4 | 5 | 6
}

const ListItem = ({ item, depth }: { item: Tokens.ListItem; depth: number }): ReactNode => (
  <li className={item.task ? 'task-item' : undefined}>
    {item.task && <input type="checkbox" checked={item.checked ?? false} disabled readOnly aria-label="Done" />}
    {blocks(
      item.tokens.filter(({ type }) => (type as string) !== 'checkbox'),
      depth + 1,
    )}
  </li>
)

const Table = ({ token, depth }: { token: Tokens.Table; depth: number }): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, and the keyboard must reach them
  <div className="table-scroll" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>
          {token.header.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their place
            <th key={index} className={cell.align ? `align-${cell.align}` : undefined}>
              {inline(cell.tokens, depth)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, rowIndex) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
          <tr key={rowIndex}>
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no identity but their place
              <td key={index} className={cell.align ? `align-${cell.align}` : undefined}>
                {inline(cell.tokens, depth)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** A code, in colors once the page is there. */
const Code = ({ text, language }: { text: string; language: string | undefined }): ReactNode =>
  useSettled() && language && text.length <= maxHighlighted ? (
    <Suspense fallback={text}>
      <HighlightedCode code={text} language={language} />
    </Suspense>
  ) : (
    text
  )

const blockToken = (token: Token, depth: number): ReactNode => {
  if (depth > maxDepth) return <p>{token.raw}</p>
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading': {
      const Heading = `h${(token as RankedHeading).rank}` as const
      return <Heading data-level={token.depth}>{inline(token.tokens, depth)}</Heading>
    }
    case 'paragraph':
      return <p>{inline(token.tokens, depth)}</p>
    case 'text':
      return token.tokens ? inline(token.tokens, depth) : decodeEntities(token.text)
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must reach them
        <pre tabIndex={0}>
          <code>
            <Code text={token.text} language={/^[\w+#-]+/.exec(token.lang ?? '')?.[0]} />
          </code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [], depth + 1)}</blockquote>
    case 'list': {
      const list = token as Tokens.List
      const items = list.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
        <ListItem key={index} item={item} depth={depth} />
      ))
      return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return <Table token={token as Tokens.Table} depth={depth} />
    case 'hr':
      return <hr />
    default:
      return <p>{token.raw}</p>
  }
}

const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
    <Fragment key={index}>{blockToken(token, depth)}</Fragment>
  ))

/** A longer text is shown once it is lexed. */
const maxMeanwhile = 1_000

/** A text that takes longer to lex is shown as plain text meanwhile. Starting the worker on a busy machine is not that. */
const plainAfterMs = 4_000

/** Undefined until the text, or one before it, is lexed. */
const useLexed = (text: string): Lexed | undefined => {
  const lexer = useContext(MarkdownLexerContext)
  const [lexed, setLexed] = useState<Lexed>()
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(() => setLexed(null), plainAfterMs)
    void lexer?.ask(text, controller.signal).then((next) => {
      if (controller.signal.aborted || next === undefined) return
      clearTimeout(timer)
      setLexed(next as Lexed)
    })
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [lexer, text])
  return lexed
}

/** A short text has about its final height before it is lexed, so that little moves then. */
const Meanwhile = ({ text }: { text: string }): ReactNode =>
  text.length <= maxMeanwhile && !text.trim().includes('\n') && <p>{plainText(text)}</p>

/** Markdown as React elements. No HTML string is made anywhere, so nothing in the text can become markup. */
export const Markdown = memo(({ text }: { text: string }): ReactNode => {
  const tokens = useLexed(text)
  return (
    <div className="prose" aria-busy={tokens === undefined}>
      {tokens === null ? <pre className="plain">{text}</pre> : tokens ? blocks(tokens, 0) : <Meanwhile text={text} />}
    </div>
  )
})
