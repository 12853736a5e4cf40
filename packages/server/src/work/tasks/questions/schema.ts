import { type Static, Type } from 'typebox'
import {
  ActorRefSchema,
  Cursor,
  Limit,
  maxReferenceLength,
  nullable,
  ProjectRefText,
  Timestamp,
  Version,
} from '../../../base/fields.js'

export const questionStates = ['open', 'answered', 'withdrawn'] as const
export type QuestionState = (typeof questionStates)[number]

/** Of a question, and of the text of its answer. */
export const maxBodyBytes = 8_192
const maxOptionCharacters = 500
export const maxOpenQuestions = 20
const maxWaitSeconds = 30

const bodyOf = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: maxBodyBytes,
    description: 'Markdown, up to 8 KiB of UTF-8.',
    examples: [example],
  })
const Body = bodyOf('May the old table be dropped? Nothing has read it since May.')
const AnswerBody = bodyOf('After the backup of Friday.')

const Option = Type.String({ minLength: 1, maxLength: maxOptionCharacters })
const Options = Type.Array(Option, {
  minItems: 2,
  maxItems: 10,
  description: 'What can be chosen from: 2 to 10 different texts. Without options the answer is a text.',
  examples: [['Drop it', 'Keep it']],
})
const UserId = Type.String({
  minLength: 1,
  maxLength: maxReferenceLength,
  description: 'The user who is asked; any person where it is missing or null.',
  examples: ['usr_2mQxT8vLk5RbN0cWz7Jd'],
})

export const QuestionId = Type.String({ examples: ['qst_0UXk5cZ000pWk2NsX9dQ'] })

const Answer = Type.Object({
  option: nullable(Option),
  body: nullable(AnswerBody),
  by: ActorRefSchema,
  at: Timestamp,
})

export const Question = Type.Object(
  {
    id: QuestionId,
    taskId: Type.String({ examples: ['ACME-12'] }),
    body: Body,
    options: nullable(Options),
    to: nullable(UserId),
    state: Type.Enum([...questionStates], { examples: ['open'] }),
    answer: nullable(Answer),
    version: Version,
    createdAt: Timestamp,
    createdBy: ActorRefSchema,
  },
  { $id: 'Question', description: 'A question about a task, which is not ready while one is open.' },
)
export type Question = Static<typeof Question>

export const NewQuestion = Type.Object(
  {
    body: Body,
    options: Type.Optional(Options),
    to: Type.Optional(UserId),
    keepClaim: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Keep the claim that the request names, to go on with the task. Otherwise the claim ends.',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ body: 'May the old table be dropped?', options: ['Drop it', 'Keep it'] }],
  },
)
export type NewQuestion = Static<typeof NewQuestion>

export const NewAnswer = Type.Object(
  { option: Type.Optional(Option), body: Type.Optional(AnswerBody) },
  {
    additionalProperties: false,
    description: 'One of the options, with a text if there is more to say; a text where there are no options.',
    examples: [{ option: 'Keep it' }],
  },
)
export type NewAnswer = Static<typeof NewAnswer>

export const WaitSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: maxWaitSeconds,
    default: 0,
    description: 'How long to wait until the question is no longer open.',
  }),
)

export const QuestionList = Type.Object(
  {
    state: Type.Optional(Type.Enum([...questionStates], { description: 'Only questions in this state.' })),
    to: Type.Optional(Type.Enum(['me'], { description: 'Only questions to the user of this key.' })),
    taskId: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxReferenceLength, description: 'Only questions about this task.' }),
    ),
    projectId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxReferenceLength,
        description: `Only questions in this project. ${ProjectRefText}`,
      }),
    ),
    limit: Type.Optional(Limit(50, 100)),
    cursor: Type.Optional(Cursor),
  },
  { additionalProperties: false },
)
export type QuestionList = Static<typeof QuestionList>
