import { type Static, Type } from 'typebox'
import { nullable, PageQuery, Timestamp } from '../../base/fields.js'
import { Key } from '../knowledge/fields.js'
import { ItemReference, itemReferenceFields, states } from '../knowledge/schema.js'
import { TaskId } from '../tasks/schema.js'

const ProjectId = nullable(Type.String({ description: 'Null if the item is tenant-wide.' }))

export const BasisEntry = Type.Object(
  {
    key: Key,
    projectId: ProjectId,
    version: Type.Integer({ minimum: 1, description: 'The version that was read.' }),
    at: Timestamp,
    state: Type.Enum([...states, 'deleted'], { description: 'What the item is now.' }),
  },
  { $id: 'BasisEntry', description: 'An item that was read under a claim of the task.' },
)
export type BasisEntry = Static<typeof BasisEntry>

export const BasisList = Type.Object({ taskId: TaskId, ...PageQuery.properties }, { additionalProperties: false })
export type BasisList = Static<typeof BasisList>

export const Dependent = Type.Object(
  {
    task: Type.Optional(Type.String({ description: 'A task that relied on the item.', examples: ['ACME-1'] })),
    key: Type.Optional(Type.String({ description: 'An item that was written under a claim of such a task.' })),
    projectId: ProjectId,
    version: Type.Integer({
      minimum: 1,
      description: 'Of a task the newest version that it read; of an item the newest version written under a claim.',
    }),
    at: Timestamp,
  },
  { $id: 'Dependent', description: 'A task, or with `key` an item.' },
)
export type Dependent = Static<typeof Dependent>

export const DependentList = Type.Object(
  { ...ItemReference.properties, ...PageQuery.properties },
  { additionalProperties: false },
)
export type DependentList = Static<typeof DependentList>

export const AcceptRequest = Type.Object(itemReferenceFields, {
  additionalProperties: false,
  examples: [{ key: 'guides/setup/linux' }],
})
