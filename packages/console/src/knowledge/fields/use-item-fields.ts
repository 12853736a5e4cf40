import type { KnowledgeItem, PatchKnowledgeBody } from 'worklore-client'
import { placeOf } from '../../item-link'
import { editList, withValue } from '../../store/cards/edit-list'
import { useConsole } from '../../store/console'

/** Changes fields of an item; each rejects where the service refuses. */
export const useItemFields = (item: KnowledgeItem, accept: (item: KnowledgeItem) => void) => {
  const { client } = useConsole()
  const { patch } = client.knowledge
  const { key } = item
  const place = placeOf(item)
  const editValues = async (field: 'tags' | 'supersedes', value: string, isIn: boolean): Promise<void> =>
    accept(
      await editList(item, {
        read: () => client.knowledge.get(key, place),
        write: (now) => patch(key, { [field]: withValue(now[field], value, isIn) }, { ...place, ifMatch: now }),
      }),
    )
  return {
    set: async (changes: PatchKnowledgeBody): Promise<void> => accept(await patch(key, changes, place)),
    setTag: (tag: string, isIn: boolean): Promise<void> => editValues('tags', tag, isIn),
    setSuperseded: (replaced: string, isIn: boolean): Promise<void> => editValues('supersedes', replaced, isIn),
  }
}
