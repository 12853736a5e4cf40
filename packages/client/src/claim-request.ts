import { recordPath } from './address.js'
import { invalid } from './error-of.js'
import type { Request } from './transport.js'

/** A claim token is the ID of the task, a dot and the number of the claim: `ACME-12.7`. */
const taskIdIn = (token: string): string => {
  const end = token.lastIndexOf('.')
  if (end < 1) throw invalid('token', `must be a claim token, such as ACME-12.7: "${token}"`)
  return token.slice(0, end)
}

/** Returns a request that renews or releases a claim. */
export const claimRequest = (token: string, action: 'renew' | 'release', body: object): Request => ({
  method: 'POST',
  path: recordPath('tasks', taskIdIn(token), action),
  body,
  headers: { 'worklore-claim': token },
})
