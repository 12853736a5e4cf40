import { isoTime } from '../../../base/clock.js'
import { AppError, invalid } from '../../../base/errors.js'
import { isBlank, utf8Length } from '../../../base/text.js'
import { checkPreconditions, type Preconditions } from '../../../base/versions.js'
import { audit } from '../../../changelog/audit/service.js'
import { actorRef } from '../../../operations/actor.js'
import { type Call, changing } from '../../../operations/call.js'
import { isClosed } from '../queue/ready.js'
import { answerOf, findTask, type StoredTask, type TaskAnswer, touchTask } from '../service.js'
import { writeTask } from '../write/write.js'
import { requireVerifier } from './rights.js'
import { type Check, type CheckDecision, maxEvidenceBytes } from './schema.js'

const checkOf = ({ doc }: StoredTask, id: string): Check => {
  const check = doc.checks.find((each) => each.id === id)
  if (check) return check
  const ids = doc.checks.map((each) => each.id)
  const present = ids.length === 0 ? 'It has no checks.' : `Its checks are ${ids.join(', ')}.`
  throw new AppError('no_check', `${doc.id} has no check "${id}". ${present}`)
}

const checkDecision = ({ state, evidence }: CheckDecision): void => {
  if (state !== 'open' && typeof evidence !== 'string') {
    throw invalid({ path: 'evidence', message: `is required to set a check to ${state}` })
  }
  if (typeof evidence === 'string' && isBlank(evidence)) {
    throw invalid({ path: 'evidence', message: 'must not be blank' })
  }
  if (utf8Length(evidence ?? '') > maxEvidenceBytes) {
    throw invalid({ path: 'evidence', message: 'must have at most 2 KiB of UTF-8' })
  }
}

const isSameDecision = (check: Check, state: Check['state'], evidence: string | null, keyId: string): boolean =>
  check.state === state && (state === 'open' || (check.evidence === evidence && check.by?.keyId === keyId))

/** Decides a check: a change of the task, which no claim guards. */
export const decideCheck = async (
  call: Call,
  taskId: string,
  checkId: string,
  decision: CheckDecision,
  preconditions: Preconditions,
): Promise<TaskAnswer> => {
  checkDecision(decision)
  return changing(call, async (call) => {
    const found = await findTask(call, taskId)
    await requireVerifier(call, found, checkOf(found, checkId), decision.state)
    checkPreconditions(preconditions, found.doc.version)
    if (isClosed(found.doc.statusCategory)) {
      throw new AppError('closed', `${taskId} is ${found.doc.status}. Reopen it to decide its checks.`)
    }
    const task = await touchTask(call, taskId)
    const { doc } = task
    const { state, evidence = null } = decision
    if (isSameDecision(checkOf(task, checkId), state, evidence, call.actor.keyId)) return answerOf(task)
    const now = isoTime(call.clock())
    const decided =
      state === 'open'
        ? { state, evidence: null, by: null, at: null }
        : { state, evidence: evidence!, by: actorRef(call.actor), at: now }
    const checks = doc.checks.map((check) => (check.id === checkId ? { ...check, ...decided } : check))
    const after = { ...task, doc: { ...doc, checks, version: doc.version + 1, updatedAt: now } }
    if (state === 'waived') {
      const { text, verifier } = checkOf(task, checkId)
      const details = { checkId, text, verifier, reason: decided.evidence }
      await audit(call, 'check.waived', { subject: taskId, details })
    }
    const event = { type: 'task.updated', previous: { checks: doc.checks } } as const
    return answerOf(await writeTask(call, task, after, event))
  })
}
