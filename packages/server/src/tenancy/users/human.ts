import type { Call } from '../../operations/call.js'
import { findUser } from './service.js'

/**
 * Whether a person makes a request: with a key or session of a human user, or, where the key has no user, with a session
 * that a one-time link opened. What comes through MCP is always an agent's.
 */
export const isHuman = async (call: Call): Promise<boolean> => {
  const { actor, origin } = call
  if (origin.via === 'mcp') return false
  if (actor.userId === null) return actor.isByLink === true
  return (await findUser(call, actor.userId))?.kind === 'human'
}
