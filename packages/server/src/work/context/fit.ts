import { estimateJsonTokens } from '../../base/tokens.js'
import type { Gathered } from './gather.js'
import { type Context, type PartName, partNames } from './schema.js'

/** How a context is written, which its budget measures. */
export interface Form {
  /** What is to be shown; without it, everything. */
  select?(gathered: Gathered): Gathered
  entry(part: PartName | 'task', entry: object): string
  whole(context: Context): string
  estimate(text: string): number
}

const jsonForm: Form = {
  entry: (_part, entry) => JSON.stringify(entry),
  whole: (context) => JSON.stringify(context),
  estimate: estimateJsonTokens,
}

/** Never under a sixth of the length. */
const tokensOf = ({ estimate }: Form, text: string): number => Math.max(Math.ceil(text.length / 6), estimate(text))

/** How much is shown of an entry, from little to all of it: of each text, and of each list. */
const levels = [
  { length: 14, items: 0 },
  { length: 40, items: 0 },
  { length: 120, items: 0 },
  { length: 300, items: 5 },
  { length: 700, items: 10 },
  { length: 2_000, items: 20 },
  { length: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY },
] as const

/** What is shown of an entry where there is hardly any room. */
const essentials: Readonly<Record<PartName | 'task', readonly string[]>> = {
  task: ['id', 'title', 'status'],
  ancestors: ['id', 'title'],
  blockers: ['id', 'title', 'result'],
  answers: ['question', 'answer'],
  attempts: ['by', 'ended', 'comment'],
  knowledge: ['key', 'passage'],
  neighbours: ['id', 'title', 'by'],
  similarDone: ['id', 'title'],
}

/** What identifies a record is of no use when it is cut. */
const uncut: ReadonlySet<string> = new Set(['id', 'key', 'projectId'])

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`

const shownAt = <T extends object>(part: PartName | 'task', entry: T, level: number): T => {
  const { length, items } = levels[level]!
  const names = level === 0 ? essentials[part] : Object.keys(entry)
  const shown = (each: unknown, name = ''): unknown => {
    if (typeof each === 'string') return uncut.has(name) ? each : cut(each, length)
    if (Array.isArray(each)) return each.slice(0, items).map((item) => shown(item))
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, member]) => [key, shown(member, key)]))
  }
  return shown(Object.fromEntries(names.map((name) => [name, entry[name as keyof T]]))) as T
}

interface Step {
  index: number
  level: number
}

/** The steps in which a part grows: more entries before more of each where breadth counts for more. */
const stepsOf = (entries: number, breadth: number): Step[] => {
  const steps: (Step & { order: number })[] = []
  for (let index = 0; index < entries; index++) {
    for (let level = 0; level < levels.length; level++) steps.push({ index, level, order: breadth * level + index })
  }
  return steps.sort((a, b) => a.order - b.order || a.index - b.index)
}

const breadthOf = (part: PartName | 'task'): number => (part === 'knowledge' ? 2 : 1)

interface Growing {
  name: PartName | 'task'
  entries: readonly object[]
  steps: Step[]
  /** The level of each entry that is shown. */
  levels: number[]
}

/** As much of what was gathered as fits into a budget. Every part has something before any of them has more. */
export const fit = (all: Gathered, budget: number, form: Form = jsonForm): Context => {
  const gathered = form.select?.(all) ?? all
  const growing: Growing[] = [
    { name: 'task' as const, entries: [gathered.task] },
    ...partNames.map((name) => ({ name, entries: gathered[name] })),
  ].map((part) => ({ ...part, steps: stepsOf(part.entries.length, breadthOf(part.name)), levels: [] }))
  const [task, ...parts] = growing as [Growing, ...Growing[]]
  task.levels[0] = 0
  task.steps.shift()

  const contextNow = (): Context => {
    const shown = Object.fromEntries(
      parts.map(({ name, entries, levels }) => [name, levels.map((level, at) => shownAt(name, entries[at]!, level))]),
    ) as unknown as Pick<Context, PartName>
    const omitted = Object.fromEntries(
      parts.flatMap(({ name, entries, levels }) =>
        entries.length > levels.length ? [[name, entries.length - levels.length]] : [],
      ),
    )
    const context: Context = {
      task: shownAt('task', gathered.task, task.levels[0]!),
      ...shown,
      omitted,
      ...(gathered.searched === false && { searched: false as const }),
      tokens: 99_999,
    }
    return { ...context, tokens: tokensOf(form, form.whole(context)) }
  }

  let used = contextNow().tokens
  const costOf = ({ name, entries }: Growing, { index, level }: Step): number =>
    tokensOf(form, form.entry(name, shownAt(name, entries[index]!, level))) + 1
  const taken: { part: Growing; index: number; before: number | undefined }[] = []

  /** Takes the next step of a part that shows more; false where there is none, or it does not fit. */
  const grow = (part: Growing): boolean => {
    for (let step = part.steps.shift(); step; step = part.steps.shift()) {
      const before = part.levels[step.index]
      if (before === undefined && step.level > 0) continue
      const cost = costOf(part, step) - (before === undefined ? 0 : costOf(part, { index: step.index, level: before }))
      if (before !== undefined && cost === 0) continue
      if (used + cost > budget) break
      part.levels[step.index] = step.level
      used += cost
      taken.push({ part, index: step.index, before })
      return true
    }
    part.steps = []
    return false
  }

  // No part has more before each of them has something.
  const areAllShown = parts.map((part) => part.entries.length === 0 || grow(part)).every(Boolean)
  while (areAllShown && growing.some(({ steps }) => steps.length > 0)) for (const part of growing) grow(part)

  let context = contextNow()
  while (context.tokens > budget && taken.length > 0) {
    const { part, index, before } = taken.pop()!
    if (before === undefined) part.levels.length = index
    else part.levels[index] = before
    context = contextNow()
  }
  return context
}
