import fc from 'fast-check'
import type { TestService } from 'worklore-testing/harness'
import { addTenant } from 'worklore-testing/operator'
import { actorCount, createWorkSession, type Step, stepKinds } from './session.js'

interface WorkPlan {
  sessions: number
  stepsPerSession: number
  seed?: number | undefined
  report?: (steps: number) => void
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...stepKinds),
  actor: fc.nat(actorCount - 1),
  numbers: fc.array(fc.nat(999), { minLength: 8, maxLength: 8 }),
})

const verifyEvery = 4
const maxInBatch = 4

/** Sessions of random work, each in a tenant of its own; answers how often each answer was given. */
export const playWork = async (wl: TestService, plan: WorkPlan): Promise<Record<string, number>> => {
  const outcomes: Record<string, number> = {}
  let total = 0
  const session = fc.array(anyStep, { minLength: plan.stepsPerSession, maxLength: plan.stepsPerSession, size: 'max' })
  await fc.assert(
    fc.asyncProperty(session, async (steps) => {
      const { begin, run, verify, outcomes: seen } = createWorkSession(wl, await addTenant(wl))
      await begin()
      for (const [at, step] of steps.entries()) {
        await run(step, steps.slice(at + 1, at + 1 + maxInBatch))
        if (at % verifyEvery === 0) await verify(step.actor)
      }
      for (const [outcome, count] of Object.entries(seen())) outcomes[outcome] = (outcomes[outcome] ?? 0) + count
      total += steps.length
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
  return outcomes
}
