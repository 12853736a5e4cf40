import { type Static, Type } from 'typebox'
import { nameOf, Timestamp, Version } from '../fields.js'

const Key = Type.String({
  pattern: '^[A-Z][A-Z0-9]{1,9}$',
  description: '2 to 10 of A-Z and 0-9, a letter first. Unique in the tenant and fixed for life.',
  examples: ['ACME'],
})
const Name = nameOf('Acme website')
const Description = Type.String({ maxLength: 20_000, examples: ['Everything about the public site'] })

export const Project = Type.Object(
  {
    id: Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
    key: Key,
    name: Name,
    description: Description,
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Project' },
)
export type Project = Static<typeof Project>

export const NewProject = Type.Object(
  { key: Key, name: Name, description: Type.Optional(Description) },
  { additionalProperties: false },
)
export type NewProject = Static<typeof NewProject>

export const ProjectPatch = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { additionalProperties: false },
)
export type ProjectPatch = Static<typeof ProjectPatch>

export const ProjectParams = Type.Object({
  projectId: Type.String({ description: 'The id of the project, or its key.', examples: ['ACME'] }),
})

export const DeleteProjectQuery = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({ description: 'Delete the tasks and knowledge of the project with it.', default: false }),
    ),
  },
  { additionalProperties: false },
)
