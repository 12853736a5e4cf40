import { clientOf } from '../base/client-address.js'
import type { Clock } from '../base/clock.js'
import { type Counts, decide, lookAt } from './decision.js'
import type { Decision } from './limiter.js'
import { rulesOver } from './windows.js'

const lengthSeconds = 60
const limit = 60
const rules = rulesOver([{ name: 'anonymous requests per minute', at: 0, limit, lengthSeconds }])
/** Look-ups of unknown keys that an address has in a minute once its limit is used up. */
const extraLookUps = 240

/**
 * Counts requests that have no valid key by the address they came from. The clients stand in the order in which
 * their windows opened, so that the table stays bounded by forgetting the oldest window.
 */
export const createAnonymousLimiter = (steady: Clock, wall: Clock, maxClients = 10_000) => {
  const clients = new Map<string, Counts>()
  /** Only of clients over their limit; they go with the client's window. */
  const lookUps = new WeakMap<Counts, number>()

  const isOver = (counts: Counts, nowMs: number): boolean => nowMs - counts[0]!.openedAtMs >= lengthSeconds * 1_000

  const open = (client: string, nowMs: number): Counts => {
    clients.delete(client)
    for (const [oldest, counts] of clients) {
      if (clients.size < maxClients && !isOver(counts, nowMs)) break
      clients.delete(oldest)
    }
    const counts = [{ openedAtMs: nowMs, used: 0 }]
    clients.set(client, counts)
    return counts
  }

  return {
    take: (address: string): Decision => {
      const nowMs = steady()
      const client = clientOf(address)
      const known = clients.get(client)
      const counts = known && !isOver(known, nowMs) ? known : open(client, nowMs)
      return decide(rules, counts, nowMs, wall())
    },
    /** As it stands, counting nothing. */
    look: (address: string): Decision => {
      const nowMs = steady()
      const known = clients.get(clientOf(address))
      const counts = known && !isOver(known, nowMs) ? known : [{ openedAtMs: nowMs, used: 0 }]
      const windows = lookAt(rules, counts, nowMs, wall())
      const shown = windows[0]!
      const stands = { shown, windows, policy: rules.policy }
      return shown.remaining > 0
        ? { isAllowed: true, ...stands }
        : { isAllowed: false, ...stands, retryAfter: shown.waitSeconds }
    },
    /**
     * Whether a key that is not known to be good may be looked up for this address. One over its limit has a few
     * look-ups left, so that a good key still gets in beside bad ones; a good one gives its look-up back.
     */
    lookUps: {
      take: (address: string): boolean => {
        const counts = clients.get(clientOf(address))
        if (!counts || counts[0]!.used < limit || isOver(counts, steady())) return true
        const used = lookUps.get(counts) ?? 0
        if (used >= extraLookUps) return false
        lookUps.set(counts, used + 1)
        return true
      },
      giveBack: (address: string): void => {
        const counts = clients.get(clientOf(address))
        const used = counts && lookUps.get(counts)
        if (used) lookUps.set(counts, used - 1)
      },
    },
    size: (): number => clients.size,
  }
}
