import type { Person } from '../../base/person.js'
import { type Call, changing } from '../call.js'
import { type AnswerPosition, answersPerStep, firstAnswer } from './redact.js'
import type { KeptAnswer } from './service.js'
import * as store from './store.js'

/** Takes a person out of some stored answers after one; answers where to go on, or null after the last. */
export const eraseFromAnswers = (
  call: Call,
  person: Person,
  after: AnswerPosition | null,
): Promise<AnswerPosition | null> =>
  changing(call, async ({ db, actor: { tenantId } }) => {
    const stored = await store.listAnswersAfter(db, tenantId, after ?? firstAnswer, answersPerStep)
    for (const { answer, ...identity } of stored) {
      if (!answer.includes(person.id)) continue
      const kept = JSON.parse(answer) as KeptAnswer
      const redacted: KeptAnswer = { ...kept, body: person.redacted(kept.body) }
      await store.setAnswer(db, { ...identity, tenantId }, JSON.stringify(redacted))
    }
    const last = stored.at(-1)
    return stored.length < answersPerStep ? null : [last!.keyId, last!.route, last!.idempotencyKey]
  })
