/** The embedded store answers at once; what waits for it only where it must spares each request a turn or two. */
export type Awaitable<T> = T | Promise<T>

export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> => value instanceof Promise

/** One after the other. */
export const forEachInTurn = <T, R>(items: readonly T[], act: (item: T) => Awaitable<R>): Awaitable<R[]> =>
  items.reduce<Awaitable<R[]>>(
    (done, item) => andThen(done, (results) => andThen(act(item), (result) => [...results, result])),
    [],
  )

export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  isPromise(value) ? value.then(next) : next(value)

/** Two parts of a transaction side by side; where one fails, the other has ended as well before it is told. */
export const both = async <A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> => {
  await Promise.allSettled([one, other])
  return [await one, await other]
}
