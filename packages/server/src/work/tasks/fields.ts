import { type Static, type TSchema, Type } from 'typebox'
import { nullable } from '../../base/fields.js'
import { type Category, categories, statusText } from '../../tenancy/projects/statuses.js'
import { Metadata } from '../fields/metadata.js'
import {
  type ReadText,
  type ReadTexts,
  readDueDate,
  readLabels,
  readTime,
  readTitle,
  readUpToKiB,
  withoutDuplicates,
} from '../fields/readers.js'
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

/** A field that callers set, under one name in requests, answers, events, versions and history. */
interface TaskField<S extends TSchema> {
  /** In requests and answers. */
  schema: S
  /** What a task has that is created without it; null for a field that older versions of tasks lack. */
  initial: Static<S>
  isOnCards?: true
  /** Checks what the schema cannot, and answers the form that is stored. */
  readText?: ReadText
  readTexts?: ReadTexts
  /** The argument of the same name of tools for agents, short because each session pays for it. */
  argument?: TSchema
}

const field = <S extends TSchema>(described: TaskField<S>): TaskField<S> => described

/** All fields that callers set, the assignee apart. What else lists them is derived from here. */
export const taskFields = {
  title: field({
    schema: Type.String({
      minLength: 1,
      maxLength: maxTitleInput,
      description: `1 to ${maxTitleCharacters} characters after trimming.`,
      examples: ['Fix the login redirect'],
    }),
    initial: '',
    isOnCards: true,
    readText: readTitle(maxTitleCharacters),
  }),
  description: field({
    schema: Type.String({
      description: 'Up to 64 KiB of UTF-8.',
      examples: ['After signing in, people land on a blank page.'],
    }),
    initial: '',
    readText: readUpToKiB(64),
    argument: Type.String(),
  }),
  result: field({
    schema: nullable(
      Type.String({
        description: 'What came out of the task: Markdown, up to 8 KiB of UTF-8.',
        examples: ['The redirect keeps its query. Fixed in the session middleware.'],
      }),
    ),
    initial: null,
    readText: readUpToKiB(8),
  }),
  status: field({
    schema: Type.String({
      ...statusText,
      description: `One of ${categories.join(', ')}, or a status of the project.`,
      examples: ['todo'],
    }),
    initial: 'todo',
    isOnCards: true,
  }),
  priority: field({
    schema: Type.Enum([...priorities], { examples: ['medium'] }),
    initial: 'medium',
    isOnCards: true,
    argument: Type.Enum([...priorities]),
  }),
  labels: field({
    schema: Type.Array(
      Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,]*$', patternMessage: 'must not contain a comma' }),
      {
        maxItems: 50,
        description: 'Up to 50 labels of 1 to 64 characters, without commas. Order is kept; duplicates are dropped.',
        examples: [['bug', 'login']],
      },
    ),
    initial: [],
    isOnCards: true,
    readTexts: readLabels,
    argument: Type.Array(Type.String(), { maxItems: 50 }),
  }),
  dueDate: field({
    schema: nullable(
      Type.String({
        description: 'A date (`2026-01-31`), returned unchanged, or a timestamp, returned in UTC.',
        examples: ['2026-01-31'],
      }),
    ),
    initial: null,
    isOnCards: true,
    readText: readDueDate,
  }),
  blockedBy: field({
    schema: Type.Array(Type.String({ minLength: 1, maxLength: 64, examples: ['ACME-3'] }), {
      maxItems: maxBlockers,
      description: 'Tasks that must be closed first, in any project that the key has access to.',
      examples: [[]],
    }),
    initial: [],
    readTexts: withoutDuplicates,
  }),
  parentId: field({
    schema: nullable(
      Type.String({ minLength: 1, maxLength: 64, description: 'The parent task, in the same project.' }),
    ),
    initial: null,
    isOnCards: true,
  }),
  notBefore: field({
    schema: nullable(
      Type.String({ description: 'The task is not ready before this time.', examples: ['2026-01-31T09:00:00.000Z'] }),
    ),
    initial: null,
    readText: readTime,
  }),
  externalId: field({
    schema: nullable(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Identifier in another system, unique within the project.',
      }),
    ),
    initial: null,
  }),
  metadata: field({
    schema: Metadata,
    initial: {},
  }),
  resources: field({
    schema: Type.Array(Resource, {
      maxItems: 50,
      description:
        'What the task needs for itself while it is claimed; a trailing `/` includes everything below. Duplicates are dropped.',
      examples: [['env:staging', 'web/src/auth/']],
    }),
    initial: [],
    readTexts: withoutDuplicates,
    argument: Type.Array(Type.String()),
  }),
}

type FieldName = keyof typeof taskFields
export const fieldNames = Object.keys(taskFields) as FieldName[]

/** A property of each field, by the field's name. */
const ofEach = <P extends 'schema' | 'initial'>(property: P) =>
  Object.fromEntries(fieldNames.map((name) => [name, taskFields[name][property]])) as {
    [Name in FieldName]: (typeof taskFields)[Name][P]
  }

export const fieldSchemas = ofEach('schema')
export const initialFields = ofEach('initial')
