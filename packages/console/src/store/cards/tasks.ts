import { type Project, taskCardFields, type UpdateTaskBody, type VersionOptions } from 'worklore-client'
import type { Client } from '../../api/client'
import { createCardCache } from './card-cache'
import { createCardEvents } from './card-events'
import { createCardLoader } from './card-loader'
import { editList } from './edit-list'
import { createOptimistic } from './optimistic'
import { statusIn } from './statuses'
import { type CardSource, cardOf, type TaskCard } from './task-card'

export type CardPatch = UpdateTaskBody & { assignee?: TaskCard['assignee'] }

/** How a change is sent: `requestId` is the ID that it can be undone by. */
export type WriteOptions = Pick<VersionOptions, 'ifMatch' | 'requestId'>

const cardFields = new Set<string>(taskCardFields)
const shownFields = (patch: CardPatch): Partial<TaskCard> =>
  Object.fromEntries(Object.entries(patch).filter(([name, value]) => cardFields.has(name) && value !== undefined))

/** The cards of tasks: loaded by project, kept up to date by events, and changed optimistically. */
export const createTasks = (client: Client, projectOf: (id: string) => Project | undefined) => {
  const cache = createCardCache()
  const { card } = cache
  const add = (tasks: readonly CardSource[]): void => {
    for (const task of tasks) cache.putAnswer(cardOf(task, card))
  }
  const loader = createCardLoader(client, add)
  const withOptimistic = createOptimistic(cache)

  const update = async (id: string, body: UpdateTaskBody, options: WriteOptions): Promise<TaskCard> => {
    const changed = cardOf(await client.tasks.update(id, body, options), card)
    cache.putAnswer(changed)
    return changed
  }

  return {
    view: cache.view,
    card,
    cards: cache.cards,
    cardsOf: cache.cardsOf,
    load: loader.load,
    retryLoad: loader.retryLoad,
    add,
    reread: loader.reread,
    apply: createCardEvents(cache, loader),
    /** Comments and open questions come and go without an event of their task. */
    count: (taskId: string, what: 'commentCount' | 'openQuestions', step: 1 | 0 | -1): void => {
      const count = cache.confirmed(taskId)?.[what]
      if (count !== undefined) cache.change(taskId, { [what]: Math.max(0, count + step) })
    },
    renameAssignee: cache.renameAssignee,
    removeProject: (projectId: string): void => {
      cache.forgetProject(projectId)
      loader.forgetProject(projectId)
    },
    /** Shows the change at once, and takes it back if the service refuses. */
    change: (id: string, patch: CardPatch, options: WriteOptions = {}): Promise<TaskCard> => {
      const { assignee: _, ...body } = patch
      const fields = shownFields(patch)
      if (body.status) {
        const { status, category } = statusIn(projectOf(card(id)?.projectId ?? ''), body.status)
        Object.assign(fields, { status, statusCategory: category })
      }
      return withOptimistic(id, fields, () => update(id, body, options))
    },
    withOptimistic,
    setRank: cache.setRank,
    /** Adds or removes labels, whatever others do to them meanwhile. */
    editLabels: async (
      id: string,
      edit: (labels: readonly string[]) => string[],
      options: WriteOptions = {},
    ): Promise<void> => {
      const now = cache.confirmed(id) ?? cardOf(await client.tasks.get(id))
      await withOptimistic(id, { labels: edit(card(id)?.labels ?? now.labels) }, () =>
        editList(now, {
          read: async () => cardOf(await client.tasks.get(id)),
          write: ({ labels, version }) => update(id, { labels: edit(labels) }, { ...options, ifMatch: version }),
        }),
      )
    },
    remove: async (id: string, options: WriteOptions & { force: boolean }): Promise<void> => {
      await client.tasks.delete(id, options)
      cache.forget(id)
    },
    /** Reads everything again. */
    reset: (): void => {
      cache.clear()
      loader.loadAgain()
    },
  }
}

export type Tasks = ReturnType<typeof createTasks>
