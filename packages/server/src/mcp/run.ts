import type { Static, TObject, TSchema } from 'typebox'
import type { Operation, OperationCall } from '../operations/operation.js'
import type { Result } from '../operations/result.js'
import { runOperation, runWithin } from '../operations/run-operation.js'

/** The whole response of an operation, as its output schema describes it. */
type Answer<Output extends TSchema> = Static<Output> & Pick<Result, 'isCreated'>

const parsedAnswer = <Output extends TSchema>({ data, more, isCreated }: Result): Answer<Output> =>
  ({ data: JSON.parse(data), ...more, isCreated }) as unknown as Answer<Output>

/** Runs an operation through the gate, under the claim if one is named. */
export const run = async <Input extends TObject, Output extends TSchema, Prepared>(
  call: OperationCall,
  operation: Operation<Input, Output, Prepared>,
  input: Static<Input>,
  claim?: string,
): Promise<Answer<Output>> =>
  parsedAnswer<Output>(
    await runOperation(call, operation as unknown as Operation, input as Record<string, unknown>, { claim }),
  )

/** Runs an operation as one of the steps of `runSteps`. */
export const runStep = async <Input extends TObject, Output extends TSchema, Prepared>(
  inside: OperationCall,
  operation: Operation<Input, Output, Prepared>,
  input: Static<Input>,
): Promise<Answer<Output>> =>
  parsedAnswer<Output>(
    await runWithin(inside, operation as unknown as Operation, input as Record<string, unknown>, undefined),
  )
