import type { RunBatchBody, Worklore } from 'worklore-client'

/** A batch has room for no more. */
export const maxBatch = 100

/** Makes several writes as one. The client's own builder of batches is left out of the console. */
export const runBatch = (client: Worklore, operations: RunBatchBody['operations']): Promise<unknown> =>
  client.request({ method: 'POST', path: '/v1/batch', body: { operations } })
