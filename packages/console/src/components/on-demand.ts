import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

const maxAttempts = 8
const pauseMs = 2_000

/** Resolves when the browser is online again, or after a pause: it does not always know. */
const connection = (): Promise<void> =>
  new Promise((resolve) => {
    addEventListener('online', () => resolve(), { once: true })
    setTimeout(resolve, pauseMs)
  })

const retrying = async <T>(load: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await load()
    } catch (error) {
      if (attempt === maxAttempts) throw error
      await connection()
    }
  }
}

/** A component that is loaded when it is first shown, over a lost connection too. */
// biome-ignore lint/suspicious/noExplicitAny: the properties are those of whatever is loaded
export const onDemand = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>): LazyExoticComponent<C> =>
  lazy(() => retrying(load))
