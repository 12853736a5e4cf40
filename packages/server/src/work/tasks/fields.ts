import { Type } from 'typebox'
import { derived, json, plain, time } from '../../base/columns.js'
import { ActorRefSchema, nullable, ProjectRefText, Timestamp, Version } from '../../base/fields.js'
import { defineRecord, field } from '../../base/record.js'
import type { ActorRef } from '../../operations/actor.js'
import { type Category, categories, statusText } from '../../tenancy/projects/statuses.js'
import { Metadata } from '../fields/metadata.js'
import { readDueDate, readLabels, readTime, readTitle, readUpToKiB, withoutDuplicates } from '../fields/readers.js'
import { flagsOf } from './checks/rules.js'
import { Checks, WantedChecks } from './checks/schema.js'
import { Resource } from './resources/schema.js'

export const perCategory = <T>(value: T) =>
  Object.fromEntries(categories.map((category) => [category, value])) as Record<Category, T>
/** In rising order. */
export const priorities = ['low', 'medium', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

export const maxBlockers = 50
const maxTitleCharacters = 500
/** With the space around it, which is trimmed: a longer one is not read to its end. */
const maxTitleInput = 10 * maxTitleCharacters

/** Describes all fields that versions of a task store, except the assignee. */
export const taskRecord = defineRecord({
  id: field(Type.String({ description: 'The project key and a number.', examples: ['ACME-1'] }), {
    setBy: 'service on create',
    column: plain('id'),
    isOnCards: true,
  }),
  projectId: field(Type.String({ examples: ['prj_8sVnQ2kLw0ZtY3bRcX6m'] }), {
    setBy: 'caller on create',
    input: Type.String({ minLength: 1, maxLength: 64, description: ProjectRefText, examples: ['ACME'] }),
    column: plain('project_id'),
    isOnCards: true,
  }),
  title: field(
    Type.String({
      minLength: 1,
      maxLength: maxTitleInput,
      description: `1 to ${maxTitleCharacters} characters after trimming.`,
      examples: ['Fix the login redirect'],
    }),
    { setBy: 'caller', read: readTitle(maxTitleCharacters), column: null, isOnCards: true },
  ),
  description: field(
    Type.String({
      description: 'Up to 64 KiB of UTF-8.',
      examples: ['After signing in, people land on a blank page.'],
    }),
    { setBy: 'caller', read: readUpToKiB(64), initial: '', column: null, argument: Type.String() },
  ),
  result: field(
    nullable(
      Type.String({
        description: 'What came out of the task: Markdown, up to 8 KiB of UTF-8.',
        examples: ['The redirect keeps its query. Fixed in the session middleware.'],
      }),
    ),
    { setBy: 'caller', read: readUpToKiB(8), initial: null, column: null },
  ),
  status: field(
    Type.String({
      ...statusText,
      description: `One of ${categories.join(', ')}, or a status of the project.`,
      examples: ['todo'],
    }),
    { setBy: 'caller', initial: 'todo', column: null, isOnCards: true },
  ),
  priority: field(Type.Enum([...priorities], { examples: ['medium'] }), {
    setBy: 'caller',
    initial: 'medium',
    column: derived('priority', (priority: Priority) => priorities.indexOf(priority)),
    isOnCards: true,
    argument: Type.Enum([...priorities]),
  }),
  labels: field(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,]*$', patternMessage: 'must not contain a comma' }),
      {
        maxItems: 50,
        description: 'Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped.',
        examples: [['bug', 'login']],
      },
    ),
    {
      setBy: 'caller',
      read: readLabels,
      initial: [],
      column: json('labels'),
      isOnCards: true,
      argument: Type.Array(Type.String(), { maxItems: 50 }),
    },
  ),
  dueDate: field(
    nullable(
      Type.String({
        description: 'A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC.',
        examples: ['2026-01-31'],
      }),
    ),
    { setBy: 'caller', read: readDueDate, initial: null, column: time('due_at'), isOnCards: true },
  ),
  blockedBy: field(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: ['ACME-3'] }), {
      maxItems: maxBlockers,
      description: 'Tasks that must be closed first, in any project that the key has access to.',
      examples: [[]],
    }),
    { setBy: 'caller', read: withoutDuplicates, initial: [], column: null },
  ),
  parentId: field(
    nullable(Type.String({ minLength: 1, maxLength: 64, description: 'The parent task, in the same project.' })),
    { setBy: 'caller', initial: null, column: plain('parent_id'), isOnCards: true },
  ),
  notBefore: field(nullable(Timestamp), {
    setBy: 'caller',
    input: nullable(
      Type.String({ description: 'The task is not ready before this time.', examples: ['2026-01-31T09:00:00.000Z'] }),
    ),
    read: readTime,
    initial: null,
    column: time('not_before'),
  }),
  externalId: field(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Identifier in another system, unique within the project.',
      }),
    ),
    { setBy: 'caller', initial: null, column: plain('external_id') },
  ),
  metadata: field(Metadata, { setBy: 'caller', initial: {}, column: null }),
  resources: field(
    Type.Array(Resource, {
      maxItems: 50,
      description:
        'What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped.',
      examples: [['env:staging', 'web/src/auth/']],
    }),
    { setBy: 'caller', read: withoutDuplicates, initial: [], column: null, argument: Type.Array(Type.String()) },
  ),
  statusCategory: field(
    Type.Enum([...categories], {
      description: 'The built-in status whose rules apply to the status of the task.',
      examples: ['todo'],
    }),
    { setBy: 'service', column: plain('status'), isOnCards: true },
  ),
  checks: field(Checks, {
    setBy: 'caller',
    input: WantedChecks,
    initial: [],
    column: derived('check_flags', flagsOf),
    isOnCards: true,
  }),
  version: field(Version, { setBy: 'service', column: plain('version'), isOnCards: true }),
  createdAt: field(Timestamp, { setBy: 'service on create', column: time('created_at'), isOnCards: true }),
  updatedAt: field(Timestamp, { setBy: 'service', column: time('updated_at'), isOnCards: true }),
  createdBy: field(ActorRefSchema, {
    setBy: 'service on create',
    column: derived('created_by', ({ keyId }: ActorRef) => keyId),
    isOnCards: true,
  }),
  attempts: field(
    Type.Integer({
      minimum: 0,
      description: 'How often the task was claimed since it was created or since this was reset to 0.',
    }),
    {
      setBy: 'caller on change',
      input: Type.Literal(0, { description: 'Resets the attempts, so that an exhausted task can be claimed again.' }),
      initial: 0,
      column: plain('attempts'),
      isOnCards: true,
    },
  ),
})
