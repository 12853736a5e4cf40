import { type Notice, notifyAll } from '../../changelog/inbox/notify.js'
import { serviceActor } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { notifyMentions } from '../../tenancy/users/mentions.js'
import type { StoredTask } from './store.js'

/** A task as it was, null where it is new, and as it was written. */
interface Change {
  before: StoredTask | null
  after: StoredTask
}

const fieldsOf = ({ doc }: StoredTask) => ({
  cause: `${doc.id} v${doc.version}`,
  taskId: doc.id,
  projectId: doc.projectId,
  title: doc.title,
})

const assignedNotices = ({ before, after }: Change): Notice[] =>
  after.assigneeId === null || after.assigneeId === before?.assigneeId
    ? []
    : [{ ...fieldsOf(after), kind: 'assigned', userIds: [after.assigneeId], text: after.doc.description }]

const exhaustedNotice = (task: StoredTask): Notice => {
  const { createdBy, attempts } = task.doc
  const userId = task.assigneeId ?? createdBy.userId
  return {
    ...fieldsOf(task),
    kind: 'exhausted',
    userIds: userId === null ? [] : [userId],
    text: `Not handed out any more after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}.`,
  }
}

/** Tells users what a change of a task means for them. */
export const notifyOfTask = async (call: Call, change: Change): Promise<void> => {
  const { before, after } = change
  await notifyAll(call, assignedNotices(change))
  const { cause: _, ...fields } = fieldsOf(after)
  const text = { before: before?.doc.description ?? '', after: after.doc.description }
  await notifyMentions(call, { ...fields, ...text, cause: after.doc.id })
}

/** Tells of tasks that have used up their attempts. It is the service that stops handing them out, whoever let go last. */
export const notifyOfExhausted = (call: Call, tasks: readonly StoredTask[]): Promise<void> =>
  notifyAll({ ...call, actor: serviceActor(call.actor.tenantId) }, tasks.map(exhaustedNotice))
