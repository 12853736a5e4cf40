import { useSyncExternalStore } from 'react'

/** A value that components follow. */
export interface Observable<T> {
  get(): T
  set(value: T): void
  update(change: (value: T) => T): void
  subscribe(listener: () => void): () => void
}

export const createObservable = <T>(initial: T): Observable<T> => {
  let value = initial
  const listeners = new Set<() => void>()
  const set = (next: T): void => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of [...listeners]) listener()
  }
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const useObservable = <T>(observable: Observable<T>): T =>
  useSyncExternalStore(observable.subscribe, observable.get)

/** A hidden page gets no frames, so changes wait at most this long. */
const maxFrameWaitMs = 250
/** Minimum time between two views, so that many changes leave the page responsive. */
const minGapMs = 80

/** A view of data that changes in place: `touch` replaces it by a new one with the next frame, throttled. */
export const createView = <T>(read: () => T) => {
  const view = createObservable(read())
  let isScheduled = false
  let lastMs = 0
  const raise = (): void => {
    if (!isScheduled) return
    isScheduled = false
    lastMs = performance.now()
    view.set(read())
  }
  const raiseWithFrame = (): void => {
    if (document.visibilityState === 'visible') requestAnimationFrame(raise)
    setTimeout(raise, maxFrameWaitMs)
  }
  return {
    view,
    touch: (): void => {
      if (isScheduled) return
      isScheduled = true
      const waitMs = lastMs + minGapMs - performance.now()
      if (waitMs > 0) setTimeout(raiseWithFrame, waitMs)
      else raiseWithFrame()
    },
  }
}
