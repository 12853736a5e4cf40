import type { AgedRows } from '../../db/aged-rows.js'
import type { ErasedTexts } from '../../db/erased-texts.js'
import type { Call } from '../call.js'
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

export const erasedAnswers: ErasedTexts = {
  table: 'idempotent_requests',
  key: ['key_id', 'route', 'idempotency_key'],
  start: firstAnswer,
  texts: ['answer'],
  rowsPerStep: answersPerStep,
  redacted: ({ answer }, person) => {
    const kept = JSON.parse(answer!) as KeptAnswer
    return { answer: JSON.stringify({ ...kept, body: person.redacted(kept.body) } satisfies KeptAnswer) }
  },
}

export const agedAnswers: AgedRows = {
  table: 'idempotent_requests',
  key: ['key_id', 'route', 'idempotency_key'],
  age: 'created_at',
  upTo: (nowMs) => nowMs - keptForMs,
}
