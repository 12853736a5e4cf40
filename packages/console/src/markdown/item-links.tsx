import { Link } from '@tanstack/react-router'
import { type ComponentType, createContext, type ReactNode, useContext } from 'react'
import { itemLink } from '../item-link'
import { useConsole } from '../store/console'

/** As the lexer's worker makes it. */
export interface ItemLinkToken {
  type: 'itemLink'
  raw: string
  target: string
  label: string
}

export interface LinkedItem {
  key: string
  projectId: string | null
  /** Undefined where that is not known. */
  exists: boolean | undefined
}

/** What links in a text lead to. */
export interface ItemLinks {
  byName: (written: string) => LinkedItem | undefined
  /** Undefined where the address is not that of an item. */
  byHref: (href: string) => LinkedItem | undefined
}

/** Null around texts whose links are not to items. */
export const ItemLinksContext = createContext<ItemLinks | null>(null)

const ItemReference = ({ item, children }: { item: LinkedItem; children: ReactNode }): ReactNode => {
  const { projects } = useConsole()
  const isMissing = item.exists === false
  return (
    <Link
      {...itemLink(item.key, projects.get(item.projectId ?? '')?.key)}
      className={isMissing ? 'missing-item' : undefined}
      title={isMissing ? `${item.key} does not exist` : item.key}
      activeProps={{}}
    >
      {children}
      {isMissing && <span className="visually-hidden"> (does not exist)</span>}
    </Link>
  )
}

/** `[[key]]` in a text. */
export const ItemLink = ({ raw, target, label }: ItemLinkToken): ReactNode => {
  const item = useContext(ItemLinksContext)?.byName(target)
  return item ? <ItemReference item={item}>{label}</ItemReference> : raw
}

interface KeyAnchorProps {
  href: string
  /** For addresses of something else. */
  otherwise: ComponentType<{ href: string; children: ReactNode }>
  children: ReactNode
}

/** A Markdown link, which may lead to an item. */
export const KeyAnchor = ({ href, otherwise: Otherwise, children }: KeyAnchorProps): ReactNode => {
  const item = useContext(ItemLinksContext)?.byHref(href)
  return item ? <ItemReference item={item}>{children}</ItemReference> : <Otherwise href={href}>{children}</Otherwise>
}
