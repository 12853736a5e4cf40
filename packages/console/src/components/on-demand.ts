import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

const pauseMs = 2_000

/** Resolves when the browser is online again, or after a pause, because it does not always know. */
const connection = (): Promise<void> =>
  new Promise((resolve) => {
    addEventListener('online', () => resolve(), { once: true })
    setTimeout(resolve, pauseMs)
  })

const isReachable = (): Promise<boolean> =>
  fetch(`${import.meta.env.BASE_URL}favicon.svg`, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Loads a part of the console as soon as the service is reachable. Browsers remember a failed import for as long as the
 * page lives, so it must not be tried before.
 */
export const loadPart = async <T>(load: () => Promise<T>): Promise<T> => {
  while (!(await isReachable())) await connection()
  return load()
}

/** A component that is loaded when it is first shown. */
// biome-ignore lint/suspicious/noExplicitAny: the properties are those of whatever is loaded
export const onDemand = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>): LazyExoticComponent<C> =>
  lazy(() => loadPart(load))
