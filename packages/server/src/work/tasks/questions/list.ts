import { invalid } from '../../../base/errors.js'
import type { Json } from '../../../base/json.js'
import { type Page, pagedList } from '../../../base/paging.js'
import type { Call } from '../../../operations/call.js'
import { projectIdNamed } from '../../../tenancy/projects/service.js'
import { getTask } from '../service.js'
import type { Question, QuestionList } from './schema.js'
import * as store from './store.js'

/** Questions that a caller may see, the newest first. */
export const listQuestions = async (call: Call, query: QuestionList): Promise<Page<Json<Question>>> => {
  const { tenantId, userId, sessionId, projectIds } = call.actor
  const { state, to, taskId, projectId } = query
  if (to !== undefined && userId === null) {
    // A page that shows what one is asked has nothing to show.
    if (sessionId !== undefined) return { items: [], hasMore: false, nextCursor: null }
    throw invalid({ path: 'to', message: 'needs a key that belongs to a user; an admin sets userId of the key' })
  }
  const ofProject = projectId === undefined ? projectIds : [await projectIdNamed(call, projectId)]
  const task = taskId === undefined ? undefined : await getTask(call, taskId)
  const filter: store.QuestionFilter = {
    state,
    toUserId: to && userId!,
    taskId: task?.id,
    projectIds: ofProject,
  }
  const page = await pagedList(query, {
    list: [tenantId, 'questions', filter],
    kinds: ['text'],
    read: (before, count) => store.listQuestions(call.db, tenantId, filter, before?.[0], count),
    placeOf: ({ id }) => [id],
  })
  return { ...page, items: page.items.map(({ doc }) => doc) }
}
