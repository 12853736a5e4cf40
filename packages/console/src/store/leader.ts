/** How often the leading tab says that it is alive. */
const aliveEveryMs = 1_500
/** A visible tab that hears nothing for so long takes over: the leader is frozen or gone. */
const visiblePatienceMs = 5_000
/** Timers of hidden tabs run about once a minute, so they wait longer. */
const hiddenPatienceMs = 130_000
const checkEveryMs = 1_000

interface LeaderElection {
  /** Call when the leader was heard. */
  heard(): void
  stop(): void
}

/**
 * Elects one tab of the browser with a Web Lock. `lead` runs while this tab leads; its signal ends when the tab freezes
 * or another takes over. Browsers open only six connections to one origin, so only the leader holds a stream.
 */
export const electLeader = (
  lockName: string,
  lead: (signal: AbortSignal, aliveEveryMs: number) => Promise<void>,
): LeaderElection => {
  const ended = new AbortController()
  let leading: AbortController | undefined
  let isQueued = false
  let lastHeardMs = performance.now()

  const request = (steal: boolean): void => {
    if (ended.signal.aborted || (!steal && isQueued)) return
    if (!steal) isQueued = true
    const options: LockOptions = steal ? { steal: true } : { signal: ended.signal }
    const mine = new AbortController()
    navigator.locks
      .request(lockName, options, async () => {
        if (!steal) isQueued = false
        leading = mine
        // A page that freezes runs no further task: the lock must not wait for the stream to end.
        const aborted = new Promise<void>((resolve) => mine.signal.addEventListener('abort', () => resolve()))
        await Promise.race([lead(mine.signal, aliveEveryMs), aborted])
      })
      .catch(() => {
        if (!steal && leading !== mine) isQueued = false
      })
      .finally(() => {
        mine.abort()
        if (leading === mine) leading = undefined
        lastHeardMs = performance.now()
        if (document.visibilityState === 'visible') request(false)
        else document.addEventListener('visibilitychange', () => request(false), { once: true })
      })
  }

  const check = (): void => {
    if (leading || ended.signal.aborted) return
    const patienceMs = document.visibilityState === 'visible' ? visiblePatienceMs : hiddenPatienceMs
    if (performance.now() - lastHeardMs < patienceMs) return
    lastHeardMs = performance.now()
    request(true)
  }

  // Over plain HTTP, other than on this machine, browsers have no locks: each tab leads itself.
  if (!navigator.locks) {
    leading = new AbortController()
    void lead(leading.signal, aliveEveryMs)
    return { heard: () => undefined, stop: () => leading?.abort() }
  }

  const onFreeze = (): void => leading?.abort()
  document.addEventListener('freeze', onFreeze)
  const timer = setInterval(check, checkEveryMs)
  request(false)

  return {
    heard: () => {
      lastHeardMs = performance.now()
    },
    stop: () => {
      ended.abort()
      leading?.abort()
      clearInterval(timer)
      document.removeEventListener('freeze', onFreeze)
    },
  }
}
