declare const describes: unique symbol

/** JSON text of a value of type `T`: what is stored as text is answered as text, without being parsed on the way. */
export type Json<T> = string & { readonly [describes]?: T }

export const toJson = <T>(value: T): Json<T> => JSON.stringify(value)

/** The fields of two objects, neither of them empty, as one object. */
export const joinObjects = <T>(first: string, second: string): Json<T> => `${first.slice(0, -1)},${second.slice(1)}`

/** Texts of one type as the text of their array. */
export const jsonArray = <T>(items: readonly Json<T>[]): Json<T[]> => `[${items.join(',')}]`

/** Calls `visit` with each object within a JSON value. */
export const visitObjects = (value: unknown, visit: (fields: Record<string, unknown>) => void): void => {
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) visit(next as Record<string, unknown>)
    for (const child of Object.values(next)) if (typeof child === 'object' && child !== null) pending.push(child)
  }
}
