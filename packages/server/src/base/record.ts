import { type Static, type TOptional, type TSchema, Type } from 'typebox'
import type { Column, StoredValue } from './columns.js'
import type { ErrorDetail } from './errors.js'

/** Who sets a field, and when. Restore and undo also set the fields that callers can change. */
type Setter =
  /** Callers, on create and in a PATCH. */
  | 'caller'
  | 'caller on create'
  /** Callers in a PATCH. */
  | 'caller on change'
  /** The service, with every write of the record. */
  | 'service'
  | 'service on create'
  /** Separate statements, which do not write the rest of the record. */
  | 'elsewhere'
type Created = 'caller' | 'caller on create'
type Changed = 'caller' | 'caller on change'

/** Reports a problem with a value, or with the part of it at `path`. */
export type Report = (message: string, path?: string | number) => void

export interface Description<S extends TSchema> {
  setBy: Setter
  /** The schema in requests, if it differs from the schema in responses. */
  input?: TSchema
  /**
   * Checks what the schema of requests cannot, and returns the value to store. Not called for null if null is the
   * initial value.
   */
  read?: (value: never, report: Report) => Static<S>
  /** The value of a record that is created without the field, or was stored before the field existed. */
  initial?: Readonly<Static<S>>
  /** Callers may omit the field on create although it has no initial value, because the service sets one. */
  isOptional?: true
  /** Null for a field without a column of its own. */
  column: Column<Static<S>> | null
  /** Whether lists of cards include the field. */
  isOnCards?: true
  /** The argument of the same name of tools for agents, short because each session pays for it. */
  argument?: TSchema
}

export interface Field extends Omit<Description<TSchema>, 'initial' | 'column'> {
  schema: TSchema
  initial?: unknown
  column: Column<never> | null
}
type Fields = Readonly<Record<string, Field>>

/** Describes a field of a record. `schema` is the schema in responses. */
export const field = <S extends TSchema, const D extends Description<S>>(
  schema: S,
  description: D & { [Unknown in Exclude<keyof D, keyof Description<S>>]: never },
): D & { schema: S } => ({ ...description, schema })

type InputSchema<F extends Field> = F extends { input: infer I extends TSchema } ? I : F['schema']
type IsRequired<F extends Field> = F extends { initial: unknown } | { isOptional: true } ? false : true

type SchemasOf<F extends Fields> = { [N in keyof F]: F[N]['schema'] }
type CreateSchemas<F extends Fields> = {
  [N in keyof F as F[N]['setBy'] extends Created ? N : never]: IsRequired<F[N]> extends true
    ? InputSchema<F[N]>
    : TOptional<InputSchema<F[N]>>
}
type PatchSchemas<F extends Fields> = {
  [N in keyof F as F[N]['setBy'] extends Changed ? N : never]: TOptional<InputSchema<F[N]>>
}

type Values<F extends Fields> = { [N in keyof F]: Static<F[N]['schema']> }
type Stored<F extends Fields> = { [N in keyof F as F[N]['column'] extends null ? never : N]: Values<F>[N] }
/** Values from a request, in the form in which they are stored. */
type ReadValues<F extends Fields, Input> = {
  [N in keyof Input]: N extends keyof F ? (F[N] extends { read: unknown } ? Values<F>[N] : Input[N]) : Input[N]
}
type Initial<F extends Fields> = { [N in keyof F as F[N] extends { initial: unknown } ? N : never]: Values<F>[N] }
type Restored<F extends Fields> = { [N in keyof F as F[N]['setBy'] extends Changed ? N : never]: Values<F>[N] }
/** Values that the service adds to a new record: at least the fields that would otherwise have no value. */
type Given<F extends Fields> = {
  [N in keyof F as F[N] extends { initial: unknown }
    ? never
    : F[N]['setBy'] extends Created
      ? IsRequired<F[N]> extends true
        ? never
        : N
      : N]: Values<F>[N]
} & Partial<Values<F>>
type RequiredName<F extends Fields> = {
  [N in keyof F]: F[N]['setBy'] extends Created ? (IsRequired<F[N]> extends true ? N : never) : never
}[keyof F]
type OffCards<F extends Fields> = { [N in keyof F]: F[N] extends { isOnCards: true } ? never : N }[keyof F]

const isIn =
  (...setters: readonly Setter[]) =>
  ([, { setBy }]: [string, Field]): boolean =>
    setters.includes(setBy)

/** Derives the schemas of a record, its stored row and its versions from the description of its fields. */
export const defineRecord = <F extends Fields>(fields: F) => {
  const all = Object.entries<Field>(fields)
  const changeable = all.filter(isIn('caller', 'caller on change'))
  const readable = all.filter(([, { read }]) => read)
  const template = Object.fromEntries(all.map(([name, { initial }]) => [name, initial]))
  const isOptional = ({ initial, isOptional }: Field): boolean => initial !== undefined || isOptional === true
  const schemasOf = (some: readonly [string, Field][], schemaOf: (field: Field) => TSchema) =>
    Object.fromEntries(some.map(([name, described]) => [name, schemaOf(described)]))

  return {
    fields,
    entries: all as [keyof F & string, Field][],
    notOnCards: all.flatMap(([name, { isOnCards }]) => (isOnCards ? [] : [name])) as OffCards<F>[],

    /** The schemas of responses. */
    answer: schemasOf(all, ({ schema }) => schema) as SchemasOf<F>,
    /** The schemas of requests that create a record. */
    create: schemasOf(all.filter(isIn('caller', 'caller on create')), (described) => {
      const { input = described.schema } = described
      return isOptional(described) ? Type.Optional(input) : input
    }) as CreateSchemas<F>,
    /** The schemas of a PATCH. */
    patch: schemasOf(changeable, ({ schema, input = schema }) => Type.Optional(input)) as PatchSchemas<F>,

    initial: Object.fromEntries(
      all.flatMap(([name, { initial }]) => (initial === undefined ? [] : [[name, initial]])),
    ) as Initial<F>,

    /** Returns the fields of an input in the form in which they are stored, and their problems. */
    read: <Input extends object>(input: Input): [ReadValues<F, Input>, ErrorDetail[]] => {
      const problems: ErrorDetail[] = []
      const values = { ...input } as Record<string, unknown>
      for (const [name, { read, initial }] of readable) {
        const value = values[name]
        if (value === undefined || (value === null && initial === null)) continue
        values[name] = read!(value as never, (message, path) => {
          problems.push({ path: path === undefined ? name : `${name}.${path}`, message })
        })
      }
      return [values as ReadValues<F, Input>, problems]
    },

    /**
     * Returns a new record with the values from the caller and the service, and the initial values of all other fields,
     * in field order.
     */
    make: <G extends Given<F>>(
      input: Partial<Values<F>> & { [N in Exclude<RequiredName<F>, keyof G>]: Values<F>[N] },
      given: G,
    ): Values<F> => ({ ...template, ...input, ...given }) as unknown as Values<F>,

    /** Returns the values that a restore or an undo sets to bring back a version. */
    restored: (version: Partial<Values<F>>): Restored<F> =>
      Object.fromEntries(changeable.map(([name, { initial }]) => [name, version[name] ?? initial])) as Restored<F>,

    row: rowOf(all) as unknown as RowOf<Stored<F>>,
  }
}

/** The values of a row, keyed by column name. */
export type Row = Readonly<Record<string, StoredValue>>

/** Parts of SQL statements that read and write the columns of a record. */
export interface RowOf<T> {
  /** The select list of all columns. `expressions` maps columns to the SQL expressions that replace them. */
  columns: (expressions?: Readonly<Record<string, string>>) => string
  read: (row: Row) => T
  insert: { columns: string; marks: string; values: (record: T) => StoredValue[] }
  update: Assignments<T> & {
    /** Splits the columns into those of the named fields and all others. */
    split: (...names: (keyof T)[]) => [Assignments<T>, Assignments<T>]
  }
}

interface Assignments<T> {
  assignments: string
  values: (record: T) => StoredValue[]
}

const rowOf = (all: readonly [string, Field][]): RowOf<Record<string, unknown>> => {
  const stored = all.flatMap(([name, { column, setBy }]) => (column ? [{ name, column, setBy }] : []))
  const inserted = stored.filter(({ setBy }) => setBy !== 'elsewhere')
  const updated = inserted.filter(({ setBy }) => setBy !== 'caller on create' && setBy !== 'service on create')
  const valuesOf = (some: typeof stored) => (record: Record<string, unknown>) =>
    some.map(({ name, column }) => column.toStored(record[name] as never))
  const namesOf = (some: typeof stored): string[] => some.map(({ column }) => column.name)
  const assign = (some: typeof stored): Assignments<Record<string, unknown>> => ({
    assignments: namesOf(some)
      .map((name) => `${name} = ?`)
      .join(', '),
    values: valuesOf(some),
  })
  return {
    columns: (expressions = {}) =>
      namesOf(stored)
        .map((name) => (expressions[name] ? `${expressions[name]} as ${name}` : name))
        .join(', '),
    read: (row) => {
      const record: Record<string, unknown> = {}
      for (const { name, column } of stored) record[name] = column.fromStored(row[column.name]!)
      return record
    },
    insert: {
      columns: namesOf(inserted).join(', '),
      marks: inserted.map(() => '?').join(', '),
      values: valuesOf(inserted),
    },
    update: {
      ...assign(updated),
      split: (...names) => [
        assign(updated.filter(({ name }) => names.includes(name))),
        assign(updated.filter(({ name }) => !names.includes(name))),
      ],
    },
  }
}
