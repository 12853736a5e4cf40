import { type Static, Type } from 'typebox'
import { nameOf, Timestamp, Version } from '../../base/fields.js'
import { PauseChange, PausedOrNull } from '../pauses/schema.js'
import { Statuses } from './statuses.js'

const visibilities = ['tenant', 'private'] as const

const Key = Type.String({
  pattern: '^[A-Z][A-Z0-9]{1,9}$',
  patternMessage: 'must be 2 to 10 of A-Z and 0-9, starting with a letter',
  description: '2 to 10 of A-Z and 0-9, starting with a letter. Unique in the tenant; cannot be changed.',
  examples: ['ACME'],
})
const Name = nameOf('Acme website')
const Description = Type.String({ maxLength: 20_000, examples: ['Everything about the public site'] })

const MaxAttempts = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 5,
  description: 'How often a task can be claimed before a person has to look at it.',
  examples: [5],
})

const verifiers = ['anyone', 'other', 'human'] as const

export const maxCheckCharacters = 500
export const CheckText = Type.String({
  minLength: 1,
  maxLength: maxCheckCharacters,
  pattern: '\\S',
  patternMessage: 'must not be blank',
  description: `What must hold, in 1 to ${maxCheckCharacters} characters.`,
  examples: ['The test suite passes'],
})
export const Verifier = Type.Enum([...verifiers], {
  description:
    'Who may decide the check: any key that can write the task, one whose key and user have not worked on it, or a human.',
  examples: ['other'],
})
export const maxChecks = 20

const defaultChecksOptions = {
  maxItems: maxChecks,
  description: 'Checks that each new task of the project begins with.',
  examples: [[]],
}
const DefaultChecks = Type.Array(Type.Object({ text: CheckText, verifier: Verifier }), defaultChecksOptions)
const WantedDefaultChecks = Type.Array(
  Type.Object({ text: CheckText, verifier: Type.Optional(Verifier) }, { additionalProperties: false }),
  defaultChecksOptions,
)

const Visibility = Type.Enum([...visibilities], {
  description:
    'Who finds the project: everyone in the tenant, or, where it is `private`, only admins, users with a role in it and keys limited to it.',
  default: 'tenant',
  examples: ['tenant'],
})

export const Project = Type.Object(
  {
    id: Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }),
    key: Key,
    name: Name,
    description: Description,
    maxAttempts: MaxAttempts,
    defaultChecks: DefaultChecks,
    statuses: Statuses,
    visibility: Visibility,
    paused: PausedOrNull,
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Project' },
)
export type Project = Static<typeof Project>

export const NewProject = Type.Object(
  {
    key: Key,
    name: Name,
    description: Type.Optional(Description),
    maxAttempts: Type.Optional(MaxAttempts),
    defaultChecks: Type.Optional(WantedDefaultChecks),
    statuses: Type.Optional(Statuses),
    visibility: Type.Optional(Visibility),
  },
  { additionalProperties: false, examples: [{ key: 'SHOP', name: 'Online shop', description: 'What customers see' }] },
)
export type NewProject = Static<typeof NewProject>

export const ProjectPatch = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    maxAttempts: Type.Optional(MaxAttempts),
    defaultChecks: Type.Optional(WantedDefaultChecks),
    statuses: Type.Optional(Statuses),
    visibility: Type.Optional(Visibility),
    paused: Type.Optional(PauseChange),
  },
  { additionalProperties: false },
)
export type ProjectPatch = Static<typeof ProjectPatch>

export const ProjectId = Type.String({ description: 'The id of the project, or its key.', examples: ['ACME'] })

export const ForceDelete = Type.Optional(
  Type.Boolean({ description: 'Also delete the tasks and knowledge of the project.', default: false }),
)
