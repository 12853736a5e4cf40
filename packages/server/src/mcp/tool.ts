import type { Static, TObject } from 'typebox'
import type { Actor, Scope } from '../operations/actor.js'
import type { Operation, OperationCall } from '../operations/operation.js'

/** Arguments as a client sent them, before they are checked. */
export type SentArguments = Readonly<Record<string, unknown>>

interface ToolAnnotations {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

export interface Tool<Input extends TObject = TObject> {
  readonly name: string
  /** What clients show to people. */
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  /** A key must hold one of them to be offered the tool. */
  readonly scopes: readonly Scope[]
  /** Flat: clients pass on neither unions nor references. */
  readonly input: Input
  /** The operations whose scopes and limits apply to a call with these arguments. */
  operations(sent: SentArguments, actor: Actor): readonly Operation[]
  /** Whether a call with these arguments waits for an event, so that it takes a work slot only when needed. */
  isWaiting?(sent: SentArguments): boolean
  /** Answers text for a model to read. */
  run(call: OperationCall, args: Static<Input>): Promise<string>
}

/** `operations` are the same for all arguments where they are given as a list. */
export const tool = <Input extends TObject>({
  operations,
  ...declared
}: Omit<Tool<Input>, 'operations'> & {
  // biome-ignore lint/suspicious/noExplicitAny: only the scope and the limit of an operation are looked at
  operations: readonly Operation<any, any>[] | ((sent: SentArguments, actor: Actor) => readonly Operation<any, any>[])
}): Tool => {
  const chosen = typeof operations === 'function' ? operations : () => operations
  return { ...declared, operations: chosen as Tool['operations'] } as unknown as Tool
}
