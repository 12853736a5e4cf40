import type { Person } from '../../base/person.js'
import type { Db } from '../../db/port.js'
import { eachInTurn } from '../../scheduling/in-turns.js'
import { type Call, changing } from '../call.js'
import { type KeptAnswer, keptForMs } from './service.js'
import * as store from './store.js'

/** Where a look over the stored answers goes on. */
export type AnswerPosition = [keyId: string, route: string, idempotencyKey: string]
export const firstAnswer: AnswerPosition = ['', '', '']

const answersPerStep = 50

/**
 * Takes the bodies out of some stored answers that tell of purged records. Answers where to go on, or undefined after
 * the last.
 */
export const redactAnswers = async (
  call: Call,
  after: AnswerPosition,
  tellsOfPurged: (bodies: readonly string[]) => Promise<readonly boolean[]>,
): Promise<AnswerPosition | undefined> => {
  const { db, actor } = call
  const { tenantId } = actor
  const stored = await store.listAnswersAfter(db, tenantId, after, answersPerStep)
  const answers = stored.map(({ answer }) => JSON.parse(answer) as KeptAnswer)
  const isPurged = await tellsOfPurged(answers.map(({ body }) => body))
  for (const [at, { answer: _, ...identity }] of stored.entries()) {
    if (!isPurged[at]) continue
    const redacted: KeptAnswer = { ...answers[at]!, body: '{"data":null,"purged":true}' }
    await store.setAnswer(db, { ...identity, tenantId }, JSON.stringify(redacted))
  }
  const last = stored.at(-1)
  return stored.length < answersPerStep ? undefined : [last!.keyId, last!.route, last!.idempotencyKey]
}

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

/** Deletes what is past its day. */
export const trimIdempotentRequests = async (db: Db, tenantIds: readonly string[], nowMs: number): Promise<void> => {
  await eachInTurn(tenantIds, (tenantId) => store.deleteExpiredRequests(db, tenantId, nowMs - keptForMs))
}
