import type { RunBatchBody } from 'worklore-client'
import type { Client } from './client'

/** A batch has room for no more. */
export const maxBatch = 100

/** Makes several writes as one. The client's own builder of batches is left out of the console. */
export const runBatch = (client: Client, operations: RunBatchBody['operations']): Promise<unknown> =>
  client.request({ method: 'POST', path: '/v1/batch', body: { operations } })
