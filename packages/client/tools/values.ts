import type { Document } from './declarations.js'
import type { Schema } from './type-of.js'

const declare = (comment: string, name: string, values: readonly unknown[]): string =>
  `/** ${comment} */\nexport const ${name} = [${values.map((value) => `'${value}'`).join(', ')}] as const\n`

const fieldsIn = (schema: Schema): string[] => Object.keys(schema.properties!)

/** The whole file of what programs need of the OpenAPI document at run time. */
export const valuesOf = ({ paths, components }: Document): string => {
  const { Task, TaskCard } = components.schemas
  const { statusCategory, priority } = Task!.properties!
  const patch = paths['/v1/tasks/{taskId}']!.patch!.requestBody!.content!['application/json']!.schema
  return [
    '// Generated from openapi.json by "npm run generate".\n',
    declare('The built-in ones, in the order of work.', 'taskStatuses', statusCategory!.enum!),
    declare('In rising order.', 'taskPriorities', priority!.enum!),
    declare('Fields of a task that are on its card.', 'taskCardFields', fieldsIn(TaskCard!)),
    declare('Fields of a task that can be updated.', 'taskPatchFields', fieldsIn(patch)),
  ].join('\n')
}
