import type { Collection } from 'worklore-search'
import type { LoggedChange } from '../../changelog/changes.js'
import type { Db } from '../../db/port.js'
import { knowledgeSource } from '../../work/knowledge/search/source.js'
import type { CollectionName, SearchSources, SourceKind, Subject } from '../../work/search/source.js'
import { commentCollection } from '../../work/tasks/comments/search-source.js'
import { taskSource } from '../../work/tasks/search/search-source.js'

/** What is searched by words and by vectors. */
export const createSources = (db: Db): SearchSources =>
  new Map([
    ['task', taskSource(db)],
    ['knowledge', knowledgeSource(db)],
  ])

/** Everything that is searched. */
export const createCollections = (db: Db, sources: SearchSources): ReadonlyMap<CollectionName, Collection> =>
  new Map<CollectionName, Collection>([...sources, ['comment', commentCollection(db)]])

interface ChangedDocument extends Subject {
  collection: CollectionName
}

/** Where an item was before it was moved. */
const oldPlaceOf = (movedFrom: string): Subject => {
  const { key, projectId } = JSON.parse(movedFrom) as { key: string; projectId: string | null }
  return { subject: key, project_id: projectId ?? '' }
}

/** The documents that an event has changed. */
export const changedDocuments = ({ type, subject, project_id, moved_from }: LoggedChange): ChangedDocument[] => {
  // What a document relied on and where it stands are not searched.
  if (type.endsWith('.stale') || type === 'task.ranked') return []
  if (type.startsWith('knowledge.')) {
    const changed = [{ subject, project_id }, ...(moved_from === null ? [] : [oldPlaceOf(moved_from)])]
    return changed.map((place) => ({ collection: 'knowledge', ...place }))
  }
  // A comment is named by its task and its id.
  if (type.startsWith('comment.')) return [{ collection: 'comment', subject: subject.split('/')[0]!, project_id }]
  if (!type.startsWith('task.')) return []
  // Comments are found under the filters of their task.
  return (['task', 'comment'] as const).map((collection) => ({ collection, subject, project_id }))
}

export const isEmbedded = (collection: CollectionName): collection is SourceKind => collection !== 'comment'
