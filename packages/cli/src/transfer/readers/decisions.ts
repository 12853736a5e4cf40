import { isOpen } from '../../choices.js'
import type { SourceCheck, SourceComment, SourceTask } from '../records.js'
import { objectsOf, optionalText, textsOf, timeOf } from '../values.js'

type Fields = Record<string, unknown>

/** What the service takes of a question. */
const maxQuestionBytes = 8_192
/** So many checks with their evidence fit into a comment. */
const checksInComment = 10

export const authorOf = (actor: unknown): string | undefined => optionalText((actor as Fields | undefined)?.keyName)

export const checksOf = (value: unknown): SourceCheck[] =>
  objectsOf(value).map(({ text, verifier }) => ({
    text: String(text ?? ''),
    ...(typeof verifier === 'string' && { verifier: verifier as SourceCheck['verifier'] }),
  }))

const saidBy = (...parts: unknown[]): string => {
  const known = parts.filter((part) => typeof part === 'string')
  return known.length === 0 ? '' : ` (${known.join(', ')})`
}

const decisionText = ({ text, state, evidence, by, at }: Fields): string =>
  `- ${state}${saidBy(authorOf(by), timeOf(at))}: ${text}\n\n  ${String(evidence ?? '').replaceAll('\n', '\n  ')}`

/** What was decided, as comments: who imports it did not decide it. */
export const decisionComments = (value: unknown): SourceComment[] => {
  const decided = objectsOf(value).filter(({ state }) => state !== 'open')
  const comments: SourceComment[] = []
  for (let at = 0; at < decided.length; at += checksInComment) {
    comments.push({
      text: `Checks:\n\n${decided
        .slice(at, at + checksInComment)
        .map(decisionText)
        .join('\n')}`,
    })
  }
  return comments
}

const answeredText = ({ body, options, state, answer }: Fields): string => {
  const { option, body: text, by, at } = (answer ?? {}) as Fields
  const choice = textsOf(options).map((each) => `- ${each}`)
  const said = answer
    ? `Answer${saidBy(authorOf(by), timeOf(at))}: ${[option, text].filter(Boolean).join('\n\n')}`
    : state
  return [`Question: ${body}`, choice.join('\n'), said].filter(Boolean).join('\n\n')
}

/** A question that is open is asked again; what became of another one is told in a comment. */
export const questionComment = (question: Fields, { category }: SourceTask): SourceComment => {
  const { body, options, state, createdBy, createdAt } = question
  const told = { author: authorOf(createdBy), at: timeOf(createdAt) }
  const text = String(body ?? '')
  const isAsked = state === 'open' && isOpen(category) && Buffer.byteLength(text) <= maxQuestionBytes
  if (!isAsked) return { ...told, text: answeredText(question) }
  return { ...told, text, question: { options: Array.isArray(options) ? textsOf(options) : undefined } }
}

/** In the order in which they were said. */
export const inOrder = (comments: readonly SourceComment[]): SourceComment[] =>
  [...comments].sort((a, b) => ((a.at ?? '~') < (b.at ?? '~') ? -1 : Number((a.at ?? '~') > (b.at ?? '~'))))
