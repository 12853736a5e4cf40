import { type Notice, notify, notifyAll } from '../../changelog/inbox/notify.js'
import { serviceActor } from '../../operations/actor.js'
import type { Call } from '../../operations/call.js'
import { notifyMentions } from '../../tenancy/users/mentions.js'
import type { StoredTask } from './stored-task.js'

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
export const notifyOfTask = async (call: Call, { before, after }: Change): Promise<void> => {
  const { assigneeId, doc } = after
  if (assigneeId !== null && assigneeId !== before?.assigneeId) {
    await notify(call, { ...fieldsOf(after), kind: 'assigned', userIds: [assigneeId], text: doc.description })
  }
  const descriptionBefore = before?.doc.description ?? ''
  if (doc.description !== descriptionBefore) {
    const text = { before: descriptionBefore, after: doc.description }
    await notifyMentions(call, { ...fieldsOf(after), ...text, cause: doc.id })
  }
}

/** Tells of tasks that have used up their attempts. It is the service that stops handing them out, whoever let go last. */
export const notifyOfExhausted = async (call: Call, tasks: readonly StoredTask[]): Promise<void> => {
  if (tasks.length === 0) return
  await notifyAll({ ...call, actor: serviceActor(call.actor.tenantId) }, tasks.map(exhaustedNotice))
}
