import { createContext, useContext } from 'react'
import { type ApiKey, type ChangeEvent, isChangeOf, type Me, type Project, type User } from 'worklore-client'
import { type Client, createClient } from '../api/client'
import { forgetSession } from '../api/session'
import { createRecentActivity, type RecentActivity } from './activity'
import { type Collection, createCollection } from './base/collection'
import { createLoads, type Loads } from './base/loads'
import { createObservable, type Observable } from './base/observable'
import { questionStep } from './cards/question-count'
import { createTasks, type Tasks } from './cards/tasks'
import { createDrafts, type Drafts } from './drafts'
import { createKnowledgeIndex, type KnowledgeIndex } from './knowledge'
import { createLive, type Live, readPosition } from './live'
import type { PageCommand } from './page-commands'
import { createToasts, type Toasts } from './toasts'
import { createUndoStack, type UndoStack } from './undo-stack'

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name)

/** Everything the pages share: the client, and what is known of the service's records. */
export interface Console {
  client: Client
  session: string
  me: Observable<Me>
  live: Live
  tasks: Tasks
  knowledge: KnowledgeIndex
  projects: Collection<Project>
  users: Collection<User>
  /** Loaded by the pages that need them; only an admin may list keys. */
  keys: Collection<ApiKey>
  activity: RecentActivity
  toasts: Toasts
  undo: UndoStack
  drafts: Drafts
  pageCommands: Observable<readonly PageCommand[]>
  /** How much waits for who is signed in; null until all of it is known. */
  waiting: Observable<number | null>
  /** What components read for themselves. */
  loads: Loads
  /** Called when everything should be read again, because changes were missed. */
  onResync(listener: () => void): () => void
  /** Called for each change, after the stores have it. */
  onEvent(listener: (event: ChangeEvent) => void): () => void
  isSignedOut: Observable<boolean>
  stop(): void
}

const keyOf = ({ key: _, ...rest }: ApiKey & { key?: unknown }): ApiKey => rest

export const openConsole = async (session: string): Promise<Console> => {
  const isSignedOut = createObservable(false)
  const client = createClient({
    baseUrl: location.origin,
    session,
    maxRetries: 2,
    maxWaitMs: 5_000,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 401) {
        forgetSession()
        isSignedOut.set(true)
      }
      return response
    },
    onRetry: ({ path }) => {
      if (path.startsWith('/v1/events/stream')) live.lost()
    },
  })
  const listeners = new Set<(event: ChangeEvent) => void>()
  const resyncListeners = new Set<() => void>()
  const loads = createLoads()
  const toasts = createToasts()
  const tasks = createTasks(client, (id) => projects.get(id))
  const knowledge = createKnowledgeIndex(client)
  const activity = createRecentActivity(client)
  const projects = createCollection<Project>(() => client.projects.list({ limit: 100 }), byName)
  const users = createCollection<User>(() => client.users.list({ limit: 100 }), byName)
  const keys = createCollection<ApiKey>(() => client.keys.list({ limit: 100 }), byName)

  const removeProject = (id: string): void => {
    projects.remove(id)
    tasks.removeProject(id)
    knowledge.removeProject(id)
  }

  const reloadContents = (): void => {
    tasks.reset()
    knowledge.reset()
    loads.reloadAll()
    for (const listener of resyncListeners) listener()
  }

  let last: ChangeEvent | undefined
  const apply = (event: ChangeEvent): void => {
    const change = event.type.slice(event.type.indexOf('.') + 1)
    if (isChangeOf(event, 'task')) tasks.apply(event)
    else if (isChangeOf(event, 'knowledge')) knowledge.apply(event)
    else if (isChangeOf(event, 'comment')) {
      const { taskId } = event.data
      if (change === 'deleted') tasks.count(taskId, 'commentCount', -1)
      else if (change === 'created' || change === 'restored') tasks.count(taskId, 'commentCount', 1)
    } else if (isChangeOf(event, 'question')) {
      tasks.count(event.data.taskId, 'openQuestions', questionStep(event, last))
    } else if (isChangeOf(event, 'project')) {
      const project = event.data
      if (change === 'deleted') removeProject(project.id)
      else projects.put(project)
      // A single event reports that a project and all its tasks and notes were restored.
      if (change === 'restored') reloadContents()
    } else if (isChangeOf(event, 'user')) {
      const user = event.data
      if (change === 'deleted') users.remove(user.id)
      else users.put(user)
      tasks.renameAssignee(user.id, change === 'deleted' ? null : user.name)
    } else if (isChangeOf(event, 'key')) {
      const key = event.data
      if (change === 'revoked') keys.remove(key.id)
      else keys.put(keyOf(key))
    }
    last = event
    activity.apply(event)
    for (const listener of listeners) listener(event)
  }

  const loadShared = (): Promise<unknown> => Promise.all([projects.load(), users.load()])

  const [identity, position] = await Promise.all([client.me(), readPosition(client)])
  const me = createObservable(identity)
  const live = createLive(client, identity.key.id, position, apply, () => {
    reloadContents()
    void loadShared().catch(() => undefined)
  })

  live.start()
  await loadShared()

  return {
    client,
    session,
    me,
    live,
    tasks,
    knowledge,
    projects,
    users,
    keys,
    activity,
    toasts,
    undo: createUndoStack(),
    drafts: createDrafts(`${identity.tenant.id}.${identity.user?.id ?? identity.key.id}`),
    pageCommands: createObservable<readonly PageCommand[]>([]),
    waiting: createObservable<number | null>(null),
    loads,
    onResync: (listener) => {
      resyncListeners.add(listener)
      return () => resyncListeners.delete(listener)
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isSignedOut,
    stop: () => live.stop(),
  }
}

export const ConsoleContext = createContext<Console | null>(null)

export const useConsole = (): Console => {
  const value = useContext(ConsoleContext)
  if (!value) throw new Error('useConsole is used outside of ConsoleContext.')
  return value
}
