interface OverdueWatch {
  begin(): { sinceMs: number }
  end(work: { sinceMs: number }): void
  close(): void
}

const lookEveryMs = 1_000

/** Tells when work has gone on for longer than whoever does it was asked to let it. */
export const createOverdueWatch = (limitMs: number, onOverdue: () => void): OverdueWatch => {
  const underWay = new Set<{ sinceMs: number }>()

  const look = (): void => {
    // A set keeps its order, so the first is the oldest.
    const [oldest] = underWay
    if (!oldest || performance.now() - oldest.sinceMs < limitMs) return
    underWay.clear()
    onOverdue()
  }
  const timer = setInterval(look, lookEveryMs).unref()

  return {
    begin: () => {
      const work = { sinceMs: performance.now() }
      underWay.add(work)
      return work
    },
    end: (work) => void underWay.delete(work),
    close: () => clearInterval(timer),
  }
}
