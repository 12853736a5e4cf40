import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { untilReachable } from '../api/until-reachable'

/** Not where somebody types, nor a page that was just reloaded: what fails once more would fail forever. */
const mayReload = (): boolean =>
  !document.activeElement?.matches('input, textarea, [contenteditable]') &&
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).type !== 'reload'

/**
 * Loads a part of the console as soon as the service is reachable. Browsers remember a failed import for as long as the
 * page lives: where it fails nevertheless, because the connection was lost that moment or the service was upgraded, the
 * page is reloaded.
 */
export const loadPart = async <T>(load: () => Promise<T>): Promise<T> => {
  await untilReachable()
  try {
    return await load()
  } catch (error) {
    await untilReachable()
    if (!mayReload()) throw error
    location.reload()
    return new Promise(() => {})
  }
}

/** A component that is loaded when it is first shown. */
// biome-ignore lint/suspicious/noExplicitAny: the properties are those of whatever is loaded
export const onDemand = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>): LazyExoticComponent<C> =>
  lazy(() => loadPart(load))

/** What the page does not need at once is loaded after this time. */
const preloadMs = 1_000

/** A component that is loaded when it is first shown, or a moment after the page: then it is shown at once. */
// biome-ignore lint/suspicious/noExplicitAny: the properties are those of whatever is loaded
export const preloaded = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>): { current: C } => {
  const part = { current: onDemand(load) as unknown as C }
  setTimeout(() => {
    loadPart(load).then(
      (loaded) => {
        part.current = loaded.default
      },
      () => undefined,
    )
  }, preloadMs)
  return part
}
