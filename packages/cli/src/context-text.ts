import type { Context } from 'worklore-client'
import { oneLine, printable, type Screen } from './terminal/screen.js'

const indented = (text: string | null | undefined): string =>
  text ? `\n${printable(text).replaceAll(/^/gm, '   ')}` : ''

/** The parts of a context around its task, each with a heading. */
const partsOf = (screen: Screen, context: Context): string[] => {
  const task = ({ id, title }: { id: string; title: string }): string => `${screen.paint('cyan', id)} ${oneLine(title)}`
  const part = (heading: string, name: keyof typeof context.omitted, lines: readonly string[]): string[] => {
    const omitted = context.omitted[name] ?? 0
    if (lines.length + omitted === 0) return []
    return [[screen.paint('dim', omitted > 0 ? `${heading} (${omitted} more)` : heading), ...lines].join('\n')]
  }
  return [
    ...part(
      'part of',
      'ancestors',
      context.ancestors.map((each) => `${task(each)}${indented(each.result || each.description)}`),
    ),
    ...part(
      'waited for',
      'blockers',
      context.blockers.map((each) => `${task(each)}${indented(each.result)}`),
    ),
    ...part(
      'answers',
      'answers',
      context.answers.map(({ question, answer }) => `${oneLine(question)}${indented(answer)}`),
    ),
    ...part(
      'earlier attempts',
      'attempts',
      context.attempts.map(({ by, ended, comment }) => `${oneLine(by)}, ${ended}${indented(comment)}`),
    ),
    ...part(
      'notes',
      'knowledge',
      context.knowledge.map(({ key, heading, trust, passage }) => {
        const about = [heading, trust === 'unreviewed' ? undefined : trust].filter(Boolean).join(', ')
        return `${screen.paint('cyan', oneLine(key))}${about ? ` ${screen.paint('dim', oneLine(about))}` : ''}${indented(passage)}`
      }),
    ),
    ...part(
      'done before',
      'similarDone',
      context.similarDone.map((each) => `${task(each)}${indented(each.result)}`),
    ),
    ...part(
      'others at work',
      'neighbours',
      context.neighbours.map((each) => `${task(each)}  ${oneLine(each.worker ?? each.by)}`),
    ),
  ]
}

/** What is around a task and known about it; empty where that is nothing. */
export const surroundingsText = (screen: Screen, context: Context): string => partsOf(screen, context).join('\n\n')

export const contextText = (screen: Screen, context: Context): string => {
  const { id, title, status, description = '' } = context.task
  const head = `${screen.paint('cyan', id)} ${status}  ${screen.paint('bold', oneLine(title))}`
  return [head, printable(description), ...partsOf(screen, context)].filter((part) => part !== '').join('\n\n')
}
