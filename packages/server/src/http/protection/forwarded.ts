import type { IncomingMessage } from 'node:http'

/**
 * Replaces an X-Forwarded-For header that has an empty entry with "unknown", which is not an address. Fastify skips
 * empty entries, so it would take the address of another hop for the client's.
 */
export const refuseEmptyHops = ({ headers }: IncomingMessage): void => {
  const sent = headers['x-forwarded-for']
  if (typeof sent !== 'string' || sent === '') return
  if (sent.split(',').some((hop) => hop.trim() === '')) headers['x-forwarded-for'] = 'unknown'
}
