import type { KnowledgeItem, PatchKnowledgeBody } from 'worklore-client'
import { patchItem } from '../../lifecycle/calls'
import { useConsole } from '../../store/console'
import { editList, withValue } from '../../store/edit-list'

/** Changes fields of an item; each rejects where the service refuses. */
export const useItemFields = (item: KnowledgeItem, accept: (item: KnowledgeItem) => void) => {
  const { client } = useConsole()
  const { key, projectId } = item
  const editValues = async (field: 'tags' | 'supersedes', value: string, isIn: boolean): Promise<void> =>
    accept(
      await editList(item, {
        read: () => client.knowledge.get(key, projectId ? { projectId } : {}),
        write: (now) => patchItem(client, item, { [field]: withValue(now[field], value, isIn) }, now.version),
      }),
    )
  return {
    set: async (patch: PatchKnowledgeBody): Promise<void> => accept(await patchItem(client, item, patch)),
    setTag: (tag: string, isIn: boolean): Promise<void> => editValues('tags', tag, isIn),
    setSuperseded: (replaced: string, isIn: boolean): Promise<void> => editValues('supersedes', replaced, isIn),
  }
}
