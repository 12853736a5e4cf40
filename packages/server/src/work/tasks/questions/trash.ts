import type { Json } from '../../../base/json.js'
import { utf8Length } from '../../../base/text.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { findUser } from '../../../tenancy/users/service.js'
import type { Question } from './schema.js'
import { deleteTaskQuestions, insertQuestion } from './store.js'
import { storedBytesOf } from './write.js'

/** Puts a question back that went with its project; it is part of its task, which is told of. */
export const insertDeleted = async (call: Call, deleted: Json<Question>, projectId: string): Promise<void> => {
  const { db, actor } = call
  const before = JSON.parse(deleted) as Question
  const isAsked = before.to !== null && (await findUser(call, before.to)) !== undefined
  const question: Question = { ...before, to: isAsked ? before.to : null }
  await db.runAll([insertQuestion(actor.tenantId, projectId, question)])
  await countStoredBytes(db, actor.tenantId, storedBytesOf(question))
}

/** Removes some questions of a task that is purged; answers how many. */
export const purgeQuestions = async ({ db, actor }: Call, taskId: string, count: number): Promise<number> => {
  const questions = await deleteTaskQuestions(db, actor.tenantId, taskId, count)
  const bytes = questions.reduce((sum, question) => sum + utf8Length(question), 0)
  await countStoredBytes(db, actor.tenantId, -bytes)
  return questions.length
}
