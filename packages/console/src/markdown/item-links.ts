import { type ComponentType, createContext, type ReactNode } from 'react'

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
  Link: ComponentType<{ item: LinkedItem; children: ReactNode }>
}

/** Null around texts whose links are not to items. */
export const ItemLinksContext = createContext<ItemLinks | null>(null)
