type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array

type ColumnType<T extends Column> = new (length: number) => T

/** The same column, or a copy with room for `length` cells: a third more than asked, so that growing stays linear. */
export const withRoom = <T extends Column>(column: T, length: number): T => {
  if (column.length >= length) return column
  const Type = column.constructor as ColumnType<T>
  const grown = new Type(Math.max(64, length + Math.ceil(length / 3)))
  grown.set(column)
  return grown
}
