declare const describes: unique symbol

/** JSON text of a value of type `T`: what is stored as text is answered as text, without being parsed on the way. */
export type Json<T> = string & { readonly [describes]?: T }

export const toJson = <T>(value: T): Json<T> => JSON.stringify(value)

/** Texts of one type as the text of their array. */
export const jsonArray = <T>(items: readonly Json<T>[]): Json<T[]> => `[${items.join(',')}]`
