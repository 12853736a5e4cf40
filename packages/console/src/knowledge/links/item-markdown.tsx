import { type ReactNode, useMemo } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { itemLinksOf } from '../../lifecycle/calls'
import { type ItemLinks, ItemLinksContext, type LinkedItem } from '../../markdown/item-links'
import { Markdown } from '../../markdown/markdown'
import { useConsole } from '../../store/console'
import { useObservable } from '../../store/observable'
import { useLoaded } from '../../store/use-loaded'
import { keyOfHref, resolveLink } from './resolve'

const noKeys: ReadonlySet<string> = new Set()

/** Keys without an item that the service knows all the same: items were moved away from them. */
const useMovedKeys = (item: KnowledgeItem): ReadonlySet<string> => {
  const { client } = useConsole()
  const hasLinks = /\[\[|\]\(/.test(item.content)
  const { data } = useLoaded(
    async (signal) => {
      if (!hasLinks) return noKeys
      const { data: links } = await itemLinksOf(client, item)(undefined, signal)
      return new Set(links.flatMap(({ key, exists }) => (key !== undefined && exists ? [key] : [])))
    },
    [item.key, item.projectId, item.version, hasLinks],
  )
  return data ?? noKeys
}

/** A text in the place of an item, whose links lead to other items. */
export const ItemMarkdown = ({ item, text }: { item: KnowledgeItem; text: string }): ReactNode => {
  const { knowledge } = useConsole()
  const revision = useObservable(knowledge.revision)
  const moved = useMovedKeys(item)
  const { key, projectId } = item
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision stands for the entries
  const links = useMemo((): ItemLinks => {
    const byName = (written: string): LinkedItem | undefined => {
      const found = resolveLink(knowledge, { key, projectId }, written)
      return found && !found.exists && moved.has(found.key) ? { ...found, exists: true } : found
    }
    const byHref = (href: string): LinkedItem | undefined => {
      const written = keyOfHref(key, href)
      return written === undefined ? undefined : byName(`/${written}`)
    }
    return { byName, byHref }
  }, [knowledge, revision, key, projectId, moved])
  return (
    <ItemLinksContext value={links}>
      <Markdown text={text} />
    </ItemLinksContext>
  )
}
