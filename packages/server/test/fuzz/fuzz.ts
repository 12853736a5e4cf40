import fc from 'fast-check'
import type { TestTenant } from 'worklore-testing/harness'
import { readOperations } from 'worklore-testing/operations'
import { addTenant } from 'worklore-testing/operator'
import { anyCall } from './calls.js'
import { createSession } from './session.js'

interface FuzzPlan {
  sessions: number
  callsPerSession: number
  seed?: number | undefined
  report?: (calls: number) => void
}

/** Each session has a tenant of its own, so that it can be played again from its seed. */
export const fuzz = async (wl: TestTenant, plan: FuzzPlan): Promise<number> => {
  const operations = await readOperations(wl)
  const session = fc.array(anyCall(operations), {
    minLength: plan.callsPerSession,
    maxLength: plan.callsPerSession,
    size: 'max',
  })
  let total = 0
  await fc.assert(
    fc.asyncProperty(session, async (calls) => {
      const { begin, send, verify, calls: count } = createSession(wl, await addTenant(wl))
      await begin()
      for (const call of calls) await send(call)
      await verify()
      total += count()
      plan.report?.(total)
    }),
    {
      numRuns: plan.sessions,
      interruptAfterTimeLimit: 3_600_000,
      // The failing request is in the message; to shrink a session takes as long as hundreds of them.
      endOnFailure: true,
      ...(plan.seed !== undefined && { seed: plan.seed }),
    },
  )
  return total
}
