import type { Collection } from 'worklore-search'
import type { LoggedChange } from '../../changelog/changes.js'
import type { Db } from '../../db/port.js'
import { knowledgeSource } from '../../work/knowledge/search/source.js'
import type { CollectionName, SearchSources, SourceKind } from '../../work/search/source.js'
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

interface ChangedDocument {
  collection: CollectionName
  /** The id of the record. */
  ref: string
  scope: string
}

/** The documents that an event has changed. */
export const changedDocuments = ({ type, record: ref, project_id: scope }: LoggedChange): ChangedDocument[] => {
  // What a document relied on and where it stands are not searched.
  if (type.endsWith('.stale') || type === 'task.ranked') return []
  if (type.startsWith('knowledge.')) return [{ collection: 'knowledge', ref, scope }]
  // Comments are indexed by task, which is the record of the change.
  if (type.startsWith('comment.')) return [{ collection: 'comment', ref, scope }]
  if (!type.startsWith('task.')) return []
  // Searches filter comments by fields of their task, so the comments change with the task.
  return (['task', 'comment'] as const).map((collection) => ({ collection, ref, scope }))
}

export const isEmbedded = (collection: CollectionName): collection is SourceKind => collection !== 'comment'
