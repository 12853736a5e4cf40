import { recordPath } from './address.js'
import type { Request } from './transport.js'

/** Returns a request that renews or releases a claim. A token is the task's id, a dot and a number: `ACME-12.7`. */
export const claimRequest = (token: string, action: 'renew' | 'release', body: object): Request => ({
  method: 'POST',
  path: recordPath('tasks', token.slice(0, token.lastIndexOf('.')), action),
  body,
  headers: { 'worklore-claim': token },
})
