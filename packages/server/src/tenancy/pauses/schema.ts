import { type Static, Type } from 'typebox'
import { ActorRefSchema, nullable, Timestamp } from '../../base/fields.js'
import type { Paused as PausedRecord } from '../../operations/actor.js'

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  patternMessage: 'must not be blank',
  description: 'Why no work is handed out; whoever asks for some is told.',
  examples: ['Deploy freeze until Monday'],
})

const Paused = Type.Object(
  { reason: Reason, by: ActorRefSchema, at: Timestamp },
  { $id: 'Paused', description: 'Who paused it, when and why. While it is paused, `next` and claims answer 409.' },
)

export const PausedOrNull = nullable(Paused)

/** What sets a pause, or ends it. */
export const PauseChange = nullable(
  Type.Object({ reason: Reason }, { additionalProperties: false, description: 'Pauses it; null resumes it.' }),
)
export type PauseChange = Static<typeof PauseChange>

export const parsePaused = (json: string | null): PausedRecord | null => json && JSON.parse(json)
