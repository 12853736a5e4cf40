import { type Static, Type } from 'typebox'
import { json, plain, time } from '../../base/columns.js'
import { nameOf, Timestamp, Version } from '../../base/fields.js'
import { defineRecord, field } from '../../base/record.js'
import { PauseChange, PausedOrNull } from '../pauses/schema.js'
import { readStatuses, Statuses } from './statuses.js'

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

export const projectRecord = defineRecord({
  id: field(Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }), {
    setBy: 'service on create',
    column: plain('id'),
  }),
  key: field(
    Type.String({
      pattern: '^[A-Z][A-Z0-9]{1,9}$',
      patternMessage: 'must be 2 to 10 of A-Z and 0-9, starting with a letter',
      description: '2 to 10 of A-Z and 0-9, starting with a letter. Unique in the tenant; cannot be changed.',
      examples: ['ACME'],
    }),
    { setBy: 'caller on create', column: plain('key') },
  ),
  name: field(nameOf('Acme website'), { setBy: 'caller', column: plain('name') }),
  description: field(Type.String({ maxLength: 20_000, examples: ['Everything about the public site'] }), {
    setBy: 'caller',
    initial: '',
    column: plain('description'),
  }),
  maxAttempts: field(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 5,
      description: 'How often a task can be claimed before a person has to look at it.',
      examples: [5],
    }),
    { setBy: 'caller', initial: 5, column: plain('max_attempts') },
  ),
  defaultChecks: field(DefaultChecks, {
    setBy: 'caller',
    input: WantedDefaultChecks,
    read: (checks: Static<typeof WantedDefaultChecks>) =>
      checks.map(({ text, verifier = 'anyone' }) => ({ text, verifier })),
    initial: [],
    column: json('default_checks'),
  }),
  statuses: field(Statuses, { setBy: 'caller', read: readStatuses, initial: null, column: json('statuses') }),
  visibility: field(
    Type.Enum(['tenant', 'private'], {
      description:
        'Who finds the project: everyone in the tenant, or, where it is `private`, only admins, users with a role in it and keys limited to it.',
      default: 'tenant',
      examples: ['tenant'],
    }),
    { setBy: 'caller', initial: 'tenant', column: plain('visibility') },
  ),
  paused: field(PausedOrNull, {
    setBy: 'caller on change',
    input: PauseChange,
    initial: null,
    column: json('paused'),
  }),
  version: field(Version, { setBy: 'service', column: plain('version') }),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at') }),
  updatedAt: field(Timestamp, { setBy: 'service', column: time('updated_at') }),
})

export const Project = Type.Object(projectRecord.answer, { $id: 'Project' })
export type Project = Static<typeof Project>

export const NewProject = Type.Object(projectRecord.create, {
  additionalProperties: false,
  examples: [{ key: 'SHOP', name: 'Online shop', description: 'What customers see' }],
})
export type NewProject = Static<typeof NewProject>

export const ProjectPatch = Type.Object(projectRecord.patch, { additionalProperties: false })
export type ProjectPatch = Static<typeof ProjectPatch>

export const ProjectId = Type.String({ description: 'The id of the project, or its key.', examples: ['ACME'] })

export const ForceDelete = Type.Optional(
  Type.Boolean({ description: 'Also delete the tasks and knowledge of the project.', default: false }),
)
