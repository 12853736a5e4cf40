import { utf8Length } from '../../../base/text.js'
import { countStoredBytes } from '../../../limits/quotas/stored-bytes.js'
import type { Call } from '../../../operations/call.js'
import { deleteTaskQuestions } from './store.js'

/** Removes some questions of a task that is purged; answers how many. */
export const purgeQuestions = async ({ db, actor }: Call, taskId: string, count: number): Promise<number> => {
  const questions = await deleteTaskQuestions(db, actor.tenantId, taskId, count)
  const bytes = questions.reduce((sum, question) => sum + utf8Length(question), 0)
  await countStoredBytes(db, actor.tenantId, -bytes)
  return questions.length
}
