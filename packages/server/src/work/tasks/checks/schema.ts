import { type Static, Type } from 'typebox'
import { ActorRefSchema, nullable, Timestamp } from '../../../base/fields.js'
import { CheckText, maxChecks, Verifier } from '../../../tenancy/projects/schema.js'

export const checkStates = ['open', 'passed', 'failed', 'waived'] as const

export const maxEvidenceBytes = 2_048

const State = Type.Enum([...checkStates], { examples: ['open'] })
const Evidence = Type.String({
  minLength: 1,
  maxLength: maxEvidenceBytes,
  pattern: '\\S',
  patternMessage: 'must not be blank',
  description: 'What shows it: a link, a command with its output, a sentence. Up to 2 KiB of UTF-8.',
  examples: ['`npm test`: 214 passed'],
})

export const CheckId = Type.String({ examples: ['c1'] })

export const Check = Type.Object(
  {
    id: CheckId,
    text: CheckText,
    verifier: Verifier,
    state: State,
    evidence: nullable(Evidence),
    by: nullable(ActorRefSchema),
    at: nullable(Timestamp),
  },
  { $id: 'Check', description: 'Something that must hold before the task is done.' },
)
export type Check = Static<typeof Check>

export const Checks = Type.Array(Check, { maxItems: maxChecks, examples: [[]] })

export const CheckCounts = Type.Object(
  { total: Type.Integer({ minimum: 0 }), open: Type.Integer({ minimum: 0 }), failed: Type.Integer({ minimum: 0 }) },
  { description: 'Number of checks.' },
)
export type CheckCounts = Static<typeof CheckCounts>

export const WantedCheck = Type.Object(
  { id: Type.Optional(CheckId), text: CheckText, verifier: Type.Optional(Verifier) },
  { additionalProperties: false },
)
export type WantedCheck = Static<typeof WantedCheck>

export const WantedChecks = Type.Array(WantedCheck, {
  maxItems: maxChecks,
  description:
    'Replaces the list. A check with its id and the same text and verifier keeps its state; every other one is open.',
  examples: [[{ text: 'The test suite passes', verifier: 'other' }]],
})

export const CheckDecision = Type.Object(
  { state: State, evidence: Type.Optional(nullable(Evidence)) },
  { additionalProperties: false, examples: [{ state: 'passed', evidence: '`npm test`: 214 passed' }] },
)
export type CheckDecision = Static<typeof CheckDecision>

export const checkFilters = ['open', 'failed', 'none'] as const
