import type { TSchema } from 'typebox'

type Schema = TSchema & {
  type?: string
  examples?: readonly unknown[]
  default?: unknown
  minimum?: number
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
}

/** What a schema gives as an example of itself; undefined where it gives none. */
export const exampleOf = ({ examples, default: fallback, anyOf = [] }: Schema): unknown =>
  examples?.[0] ?? fallback ?? anyOf.find((branch) => branch.examples)?.examples?.[0]

/**
 * A body that can be sent as it is. A field without an example is left out unless it is required: what a page would
 * make up for it, such as an id, names nothing.
 */
export const exampleBody = (schema: Schema): unknown => {
  const { examples, properties = {}, required = [] } = schema
  if (examples) return examples[0]
  const body: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    const example = exampleOf(property)
    if (example !== undefined) body[name] = example
    else if (required.includes(name)) body[name] = property.minimum
  }
  return body
}
