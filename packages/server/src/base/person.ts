import { visitObjects } from './json.js'

/** A person who is erased. Their id stays, as a pseudonym; it stands wherever the service put their name. */
export interface Person {
  readonly id: string
  /** The JSON text without their name, handle and e-mail. */
  redacted(json: string): string
}

export const erasedName = 'deleted user'
export const erasedHandle = 'deleted-user'

type Fields = Record<string, unknown>

const eraseFields = (fields: Fields): void => {
  if (typeof fields.name === 'string') fields.name = erasedName
  if (typeof fields.handle === 'string') fields.handle = erasedHandle
  if (typeof fields.email === 'string') fields.email = null
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `names` are what the person was called by, for keys of theirs that are named after them. */
export const personOf = (id: string, names: readonly string[]): Person => {
  const known = names.filter((name) => name !== '').map((name) => name.toLowerCase())
  const isNamedAfter = (text: unknown): boolean =>
    typeof text === 'string' && known.some((name) => text.toLowerCase().includes(name))

  const eraseKeyNames = (fields: Fields): void => {
    for (const field of ['name', 'keyName']) if (isNamedAfter(fields[field])) fields[field] = erasedName
  }

  /** What a change replaced of their record, or of a key of theirs, stands within it. */
  const erase = (fields: Fields): void => {
    // A key that was theirs until this change belongs to no one after it.
    const isTheirs = fields.userId === id || (isObject(fields.previous) && fields.previous.userId === id)
    const eraseIn = fields.id === id ? eraseFields : isTheirs ? eraseKeyNames : undefined
    if (!eraseIn) return
    eraseIn(fields)
    if (isObject(fields.previous)) eraseIn(fields.previous)
  }

  return {
    id,
    redacted: (json) => {
      if (!json.includes(id)) return json
      const value = JSON.parse(json) as unknown
      visitObjects(value, erase)
      return JSON.stringify(value)
    },
  }
}
