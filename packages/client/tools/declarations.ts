import { commentOf, nameOf, objectType, type Schema, typeOf } from './type-of.js'

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

interface Content {
  content?: Record<string, { schema: Schema }>
}

interface Operation {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content>
}

export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const declare = (name: string, schema: Schema, direction: 'sent' | 'answered'): string => {
  const comment = commentOf(schema.description, '')
  return schema.properties
    ? `${comment}export interface ${name} ${objectType(schema, direction, '')}\n`
    : `${comment}export type ${name} = ${typeOf(schema, direction, '')}\n`
}

const jsonOf = (holder: Content | undefined): Schema | undefined => holder?.content?.['application/json']?.schema

const queryOf = (parameters: Parameter[] = []): Schema | undefined => {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length === 0) return undefined
  return {
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** What an operation takes and what it gives, under names made of its own. */
const operationDeclarations = ({ operationId, parameters, requestBody, responses }: Operation): string[] => {
  if (!operationId) return []
  const name = operationId[0]!.toUpperCase() + operationId.slice(1)
  const query = queryOf(parameters)
  const body = jsonOf(requestBody)
  const answer = jsonOf(Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1])
  return [
    ...(query ? [declare(`${name}Query`, query, 'sent')] : []),
    ...(body ? [declare(`${name}Body`, body, 'sent')] : []),
    ...(answer ? [declare(`${name}Answer`, answer, 'answered')] : []),
  ]
}

/** Every named schema, then every operation under /v1. */
const declarationsOf = ({ paths, components }: Document): string => {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => declare(nameOf(name), schema, 'answered'))
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1'))
    .flatMap(([, methods]) => Object.values(methods).flatMap(operationDeclarations))
  return [...schemas, ...operations].join('\n')
}

/** The whole file of the client's types. */
export const typesOf = (document: Document): string =>
  `// Generated from openapi.json by "npm run generate".\n\n${declarationsOf(document)}`
