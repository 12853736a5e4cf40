import { type BatchBuilder, type BatchResults, createRecorder, type Recorder, runBatch } from './batch.js'
import type { PostOptions } from './options.js'
import { createKnowledge, type Knowledge } from './resources/knowledge.js'
import { createQuestions, type Questions } from './resources/questions.js'
import { createTasks, type Tasks } from './resources/tasks.js'
import type { Transport } from './transport.js'

/** Tasks, questions about them, knowledge, and all of it together: what can be done under a claim. */
export interface WorkView {
  readonly tasks: Tasks
  readonly questions: Questions
  readonly knowledge: Knowledge
  /** Makes several writes as one: all of them happen, in their order, or none. Gives the results of those returned. */
  batch<const T extends readonly unknown[]>(
    build: (batch: BatchBuilder) => T,
    options?: PostOptions,
  ): Promise<BatchResults<T>>
}

export const batchOf = (recorder: Recorder, viewOf: (transport: Transport) => WorkView): BatchBuilder => ({
  ...viewOf(recorder.transport()),
  as: (name) => viewOf(recorder.transport(name)),
})

export const createWorkView = (transport: Transport): WorkView => ({
  tasks: createTasks(transport, createWorkView),
  questions: createQuestions(transport),
  knowledge: createKnowledge(transport),
  batch: async (build, options = {}) => {
    const recorder = createRecorder(transport)
    return runBatch(recorder, () => build(batchOf(recorder, createWorkView)), options)
  },
})
