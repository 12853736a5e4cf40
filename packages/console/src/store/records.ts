import { useEffect, useSyncExternalStore } from 'react'
import type { ApiKey, Me, Project, User } from 'worklore-client'
import { hasScope } from '../api/permissions'
import type { Activity } from './activity'
import type { Records } from './base/collection'
import { useObservable } from './base/observable'
import type { CardView } from './cards/card-cache'
import type { TaskCard } from './cards/task-card'
import { useConsole } from './console'
import type { KnowledgeView } from './knowledge'

/** The cards that are known, as another object when any of them has changed. */
export const useCardView = (): CardView => useObservable(useConsole().tasks.view)

/** The card of a task, if it is known. */
export const useCard = (id: string): TaskCard | undefined => {
  const { tasks } = useConsole()
  return useSyncExternalStore(tasks.view.subscribe, () => tasks.card(id))
}

/** The knowledge items that are known, as another object when any of them has changed. */
export const useKnowledgeView = (): KnowledgeView => useObservable(useConsole().knowledge.view)

/** The newest events, the oldest first. */
export const useActivity = (): readonly Activity[] => useObservable(useConsole().activity.view)

/** The signed-in key and its user. */
export const useMe = (): Me => useObservable(useConsole().me)

export const useUsers = (): Records<User> => useObservable(useConsole().users.records)

export const useProjects = (): Records<Project> => useObservable(useConsole().projects.records)

/** The API keys, which are loaded when they are first needed. Only an admin can list them; for others there are none. */
export const useKeyRecords = (isNeeded = true): Records<ApiKey> => {
  const { keys } = useConsole()
  const isAsked = hasScope(useMe(), 'admin') && isNeeded
  const records = useObservable(keys.records)
  useEffect(() => {
    if (isAsked) keys.loadOnce().catch(() => undefined)
  }, [keys, isAsked])
  return records
}
