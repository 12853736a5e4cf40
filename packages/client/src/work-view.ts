import { type BatchBuilder, type BatchResults, batchOf, createRecorder, runBatch } from './batch.js'
import type { PostOptions } from './options.js'
import { createKnowledge, type Knowledge } from './resources/knowledge.js'
import { createTaskClaims, type TaskClaims } from './resources/task-claims.js'
import { createTaskRecords, type TaskRecords } from './resources/tasks.js'
import type { Transport } from './transport.js'
import { createQuestions, type Questions } from './waiting.js'

export interface Tasks extends TaskRecords, TaskClaims {}

/** Everything that can be done under a claim. */
export interface WorkView {
  readonly tasks: Tasks
  readonly questions: Questions
  readonly knowledge: Knowledge
  /** Makes several writes in order, all or none, and returns the results of the calls that `build` returns. */
  batch<const T extends readonly unknown[]>(
    build: (batch: BatchBuilder) => T,
    options?: PostOptions,
  ): Promise<BatchResults<T>>
}

export const createWorkView = (transport: Transport): WorkView => ({
  tasks: { ...createTaskRecords(transport), ...createTaskClaims(transport, createWorkView) },
  questions: createQuestions(transport),
  knowledge: createKnowledge(transport),
  batch: async (build, options = {}) => {
    const recorder = createRecorder(transport)
    return runBatch(recorder, () => build(batchOf(recorder, createWorkView)), options)
  },
})
