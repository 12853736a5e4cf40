import { type ReactNode, useMemo } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { placeOf } from '../../item-link'
import { type ItemLinks, ItemLinksContext, type LinkedItem } from '../../markdown/item-links'
import { Markdown } from '../../markdown/markdown'
import { mayHaveLinks } from '../../markdown/may-have-links'
import { useConsole } from '../../store/console'
import { useKnowledgeView } from '../../store/records'
import { useLoaded } from '../../store/use-loaded'
import { ItemReference } from './item-reference'
import { createResolver, keyOfHref } from './resolve'

const maxLinks = 100

type Places = ReadonlyMap<string, string | null>
const noPlaces: Places = new Map()

/** The projects of linked keys as the service knows them: also of keys that items were moved away from. */
const useLinkedPlaces = (item: KnowledgeItem): Places => {
  const { client } = useConsole()
  const hasLinks = mayHaveLinks(item.content)
  const { data } = useLoaded(
    async (signal) => {
      if (!hasLinks) return noPlaces
      const query = { key: item.key, ...placeOf(item), limit: maxLinks }
      const { data: links } = await client.knowledge.links(query, { signal })
      return new Map(
        links.flatMap(({ key, projectId, exists }) => (key !== undefined && exists ? [[key, projectId] as const] : [])),
      )
    },
    ['links', item.key, item.projectId, item.version, hasLinks],
  )
  return data ?? noPlaces
}

/** A text in the place of an item, whose links lead to other items. */
export const ItemMarkdown = ({ item, text }: { item: KnowledgeItem; text: string }): ReactNode => {
  const knowledge = useKnowledgeView()
  const places = useLinkedPlaces(item)
  const { key, projectId } = item
  const links = useMemo((): ItemLinks => {
    const resolve = createResolver(knowledge, { key, projectId })
    const byName = (written: string): LinkedItem | undefined => {
      const found = resolve(written)
      const place = found && !found.exists ? places.get(found.key) : undefined
      return found && place !== undefined ? { key: found.key, projectId: place, exists: true } : found
    }
    const byHref = (href: string): LinkedItem | undefined => {
      const written = keyOfHref(key, href)
      return written === undefined ? undefined : byName(`/${written}`)
    }
    return { byName, byHref, Link: ItemReference }
  }, [knowledge, key, projectId, places])
  return (
    <ItemLinksContext value={links}>
      <Markdown text={text} />
    </ItemLinksContext>
  )
}
