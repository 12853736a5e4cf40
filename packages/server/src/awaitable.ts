/** The embedded store answers at once; what waits for it only where it must spares each request a turn or two. */
export type Awaitable<T> = T | Promise<T>

export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> => value instanceof Promise

export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  isPromise(value) ? value.then(next) : next(value)
