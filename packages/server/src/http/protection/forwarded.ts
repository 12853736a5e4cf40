import type { IncomingMessage } from 'node:http'

/**
 * Replaces an X-Forwarded-For with an empty entry by "unknown", which is no address. Fastify skips empty entries, so that
 * the address of another hop would become the client's.
 */
export const refuseEmptyHops = ({ headers }: IncomingMessage): void => {
  const sent = headers['x-forwarded-for']
  if (typeof sent !== 'string' || sent === '') return
  if (sent.split(',').some((hop) => hop.trim() === '')) headers['x-forwarded-for'] = 'unknown'
}
