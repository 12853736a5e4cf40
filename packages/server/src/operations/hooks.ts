import type { ErasedTexts } from '../db/erased-texts.js'
import type { BasisRecorder, Call, PassedFence } from './call.js'
import type { Core } from './core.js'
import type { OperationCall } from './operation.js'

/**
 * What a change in a lower layer causes in a higher one, in the same transaction. A lower layer calls these; `app.ts`
 * connects them.
 */
export interface Hooks {
  /**
   * Returns the claim check of a write, which runs at the start of the write's transaction. With `renewsExpired`, the
   * check renews an expired claim if the task has not been claimed since.
   */
  fenceOf(token: string, renewsExpired: boolean): (call: Call) => Promise<PassedFence>
  /** A read names a claim: what is read becomes the basis of its task. Undefined where the token is none. */
  basisOf(call: Call & { readonly core: Core }, token: string): BasisRecorder | undefined
  /** A task was claimed by a call that wants to know what its worker needs: within a budget, null where that fails. */
  contextBeside(
    call: OperationCall,
    claimed: { id: string; token: string | undefined },
    budgetTokens: number,
  ): Promise<object | null>
  /** A key was revoked: its claims end. */
  keyRevoked(call: Call, keyId: string): Promise<void>
  /** A key expires earlier: its claims end with it. */
  keyExpiryChanged(call: Call, keyId: string, expiresAtMs: number): Promise<void>
  /** A project allows more or fewer attempts: tasks become ready, or no longer are. */
  maxAttemptsChanged(call: Call, projectId: string, before: number, after: number): Promise<void>
  /** A project is to have other statuses: how many of its tasks have each, those without tasks left out. */
  countTasksByStatus(call: Call, project: { id: string }): Promise<ReadonlyMap<string, number>>
  /** Events lost their text: so do the deliveries of them. */
  eventsRedacted(call: Call, sequences: readonly number[]): Promise<void>
  /** The texts of webhook deliveries to redact when a person is erased. */
  readonly erasedDeliveries: ErasedTexts
  /** A document was purged: its vectors go. */
  documentPurged(call: Call, document: PurgedDocument): Promise<void>
  /** An entry of the trash was purged: search indexes saved before may contain its words. */
  trashPurged(call: Call): Promise<void>
}

interface PurgedDocument {
  kind: 'task' | 'knowledge'
  /** The id of the record. */
  subject: string
}
