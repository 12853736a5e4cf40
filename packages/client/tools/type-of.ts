export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}

/** What a caller sends may hold `undefined` for "not given"; what the service answers never does. */
export type Direction = 'sent' | 'answered'

/** Names that would hide a global of the same name. */
const renamed: Record<string, string> = { Error: 'ErrorAnswer', Event: 'LoggedEvent' }

export const nameOf = (component: string): string => renamed[component] ?? component

export const commentOf = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : ''

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)

const unique = (types: string[]): string[] => [...new Set(types)]

const grouped = (type: string): string => (/ [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type)

const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

export const objectType = (schema: Schema, direction: Direction, indent: string): string => {
  const inner = `${indent}  `
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false
    const type = typeOf(property, direction, inner)
    const comment = commentOf(property.description ?? property.anyOf?.[0]?.description, inner)
    const orUndefined = !isRequired && direction === 'sent' ? ' | undefined' : ''
    return `${comment}${inner}${propertyName(name)}${isRequired ? '' : '?'}: ${type}${orUndefined}\n`
  })
  if (lines.length > 0) return `{\n${lines.join('')}${indent}}`
  const values = schema.additionalProperties
  return `Record<string, ${typeof values === 'object' ? typeOf(values, direction, indent) : 'unknown'}>`
}

const typeOfKind = (kind: string | undefined, schema: Schema, direction: Direction, indent: string): string => {
  switch (kind) {
    case 'object':
      return objectType(schema, direction, indent)
    case 'array':
      return `${grouped(schema.items ? typeOf(schema.items, direction, indent) : 'unknown')}[]`
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return kind
    default:
      return 'unknown'
  }
}

export const typeOf = (schema: Schema, direction: Direction, indent: string): string => {
  const each = (schemas: Schema[]): string[] => unique(schemas.map((one) => typeOf(one, direction, indent)))
  if (schema.$ref) return nameOf(schema.$ref.split('/').at(-1)!)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (schema.allOf) return each(schema.allOf).map(grouped).join(' & ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return each(choices).map(grouped).join(' | ')
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type]
  return unique(kinds.map((kind) => typeOfKind(kind, schema, direction, indent))).join(' | ')
}
