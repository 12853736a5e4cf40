import { estimateTokens, safeShare } from '../../base/tokens.js'
import type { Form } from '../../work/context/fit.js'
import type { Context, PartName } from '../../work/context/schema.js'
import { quoted, word } from './text.js'

type Entry<P extends PartName> = Context[P][number]

const all = Number.POSITIVE_INFINITY
const text = (value: string | null | undefined): string => (value ? `: ${quoted(value, all)}` : '')

const lines: { [P in PartName]: (entry: Entry<P>) => string } = {
  ancestors: ({ id, title, description, result }) => `part of ${id} ${quoted(title)}${text(result || description)}`,
  blockers: ({ id, title, result }) => `waited for ${id} ${quoted(title)}${text(result)}`,
  answers: ({ question, answer }) => `asked ${quoted(question, all)}, answered ${quoted(answer, all)}`,
  attempts: ({ by, ended, comment }) => `tried by ${word(by)}, ${ended}${text(comment)}`,
  knowledge: ({ key, trust, heading, passage }) => {
    const about = [heading, trust === 'unreviewed' ? undefined : trust].filter(Boolean).join(', ')
    return `note ${word(key)}${about ? ` (${about})` : ''}${text(passage)}`
  },
  similarDone: ({ id, title, result }) => `done before: ${id} ${quoted(title)}${text(result)}`,
  neighbours: ({ id, title, by, worker }) => `${word(worker ?? by)} works on ${id} ${quoted(title)}`,
}

const lineOf = <P extends PartName>(part: P, entry: Entry<P>): string => lines[part](entry)

const order = Object.keys(lines) as PartName[]

/** What is known around a task, a line for each entry. The task itself is shown before it. */
export const contextText = (context: Context): string => {
  const shown = order.flatMap((part) => context[part].map((entry) => lineOf(part, entry as never)))
  const omitted = Object.values(context.omitted).reduce((sum, count) => sum + count, 0)
  return [...shown, ...(omitted > 0 ? [`${omitted} more: search`] : [])].join('\n')
}

export const textForm: Form = {
  // The task is shown with its questions and blockers before it.
  select: (gathered) => ({
    ...gathered,
    answers: [],
    blockers: gathered.blockers.filter(({ result }) => result),
  }),
  entry: (part, entry) => (part === 'task' ? '' : lineOf(part, entry as never)),
  whole: contextText,
  estimate: (text) => Math.ceil(estimateTokens(text) / safeShare),
}
