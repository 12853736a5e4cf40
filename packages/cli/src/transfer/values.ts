import type { Task } from 'worklore-client'

type Fields = Record<string, unknown>

export const asObject = (value: unknown): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('is not a JSON object')
  return value as Fields
}

/** A text that must be there. */
export const requiredText = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`${name} is missing`)
  return value
}

export const optionalText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const objectsOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** Times of all kinds as the service writes them; what is none is left out. */
export const timeOf = (value: unknown): string | undefined => {
  const ms = typeof value === 'string' && value !== '' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** A date stays a date. */
export const dueDateOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : timeOf(value)

/** bd-12.3 is a part of bd-12. */
export const parentOfId = (id: string): string | undefined => /^(.+)\.\d+$/.exec(id)?.[1]

/** Without what is undefined or empty. */
export const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => String(value ?? '') !== ''))

/** The category that the name of a status in another system comes closest to. */
export const categoryOfName = (name: string): Task['statusCategory'] => {
  if (/cancel|duplicate|won.?t|not planned|archived/i.test(name)) return 'cancelled'
  if (/done|complete|closed|merged|released/i.test(name)) return 'done'
  if (/review|\bqa\b|test|verif/i.test(name)) return 'in_review'
  return /progress|started|doing|develop/i.test(name) ? 'in_progress' : 'todo'
}

export const priorityOfName = (name: string): Task['priority'] => {
  const priority = /urgent|high|medium|low/i.exec(name)?.[0].toLowerCase()
  return (priority as Task['priority'] | undefined) ?? 'medium'
}

const maxLabels = 50
const maxLabel = 64

/** Labels as the service takes them: without commas, not too long and not too many. */
export const labelsOf = (labels: readonly string[]): string[] => {
  const usable = labels.map((label) =>
    label
      .replaceAll(/[,\s]+/g, ' ')
      .trim()
      .slice(0, maxLabel)
      .trim(),
  )
  return [...new Set(usable.filter((label) => label !== ''))].slice(0, maxLabels)
}

/** Sections of a text under their headings; those without a text are left out. */
export const sections = (first: string | undefined, rest: Record<string, unknown>): string =>
  [first, ...Object.entries(rest).map(([heading, text]) => optionalText(text) && `## ${heading}\n\n${text}`)]
    .filter(Boolean)
    .join('\n\n')
