/** Works on one item after the other. What fails keeps none of the others from their turn; the first error is thrown then. */
export const eachInTurn = async <T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> => {
  const errors: unknown[] = []
  for (const item of items) await work(item).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
