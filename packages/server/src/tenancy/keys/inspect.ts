import { parseRange } from '../../base/address-ranges.js'
import { parseMoment } from '../../base/dates.js'
import type { ErrorDetail } from '../../base/errors.js'
import { maxNameLength } from '../../base/fields.js'
import type { Call } from '../../operations/call.js'
import { unknownProjectDetail } from '../projects/service.js'
import { unknownUserDetail } from '../users/service.js'
import { maxKeyAddresses, maxKeyProjects, type NewApiKey } from './schema.js'

type Fields = Partial<Omit<NewApiKey, 'scopes' | 'user'>> & { user?: unknown }

/** All that is wrong with the values of a key's fields, references included. */
export const keyProblems = async (
  call: Call,
  { name, projectIds, userId, user, expiresAt, allowedAddresses }: Fields,
): Promise<ErrorDetail[]> => {
  const problems: (ErrorDetail | undefined)[] = []
  if (name !== undefined && (name.trim() === '' || name.length > maxNameLength)) {
    problems.push({ path: 'name', message: `must have 1 to ${maxNameLength} characters` })
  }
  for (const [at, ref] of (projectIds ?? []).entries()) {
    problems.push(await unknownProjectDetail(call, ref, `projectIds.${at}`))
  }
  if (user !== undefined && userId !== undefined) {
    problems.push({ path: 'user', message: 'cannot be combined with userId' })
  }
  if (typeof userId === 'string') problems.push(await unknownUserDetail(call, userId, 'userId'))
  if (typeof expiresAt === 'string') {
    const moment = parseMoment(expiresAt)
    if (!moment) problems.push({ path: 'expiresAt', message: 'must be a timestamp with a time zone, or a valid date' })
    else if (moment.ms <= call.clock()) problems.push({ path: 'expiresAt', message: 'must be in the future' })
  }
  for (const [at, text] of (allowedAddresses ?? []).entries()) {
    if (parseRange(text)) continue
    const message = 'must be an IP address or a range such as 10.0.0.0/8'
    problems.push({ path: `allowedAddresses.${at}`, message })
  }
  return problems.filter((problem) => problem !== undefined)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/** The fields whose values have the right type, of an input that may be anything. */
const wellTyped = (input: unknown): Fields => {
  if (typeof input !== 'object' || input === null) return {}
  const { name, projectIds, userId, user, expiresAt, allowedAddresses } = input as Record<string, unknown>
  return {
    user,
    ...(isText(name) && { name }),
    ...(areTexts(projectIds) && { projectIds: projectIds.slice(0, maxKeyProjects) }),
    ...(isText(userId) && { userId }),
    ...(isText(expiresAt) && { expiresAt }),
    ...(areTexts(allowedAddresses) && { allowedAddresses: allowedAddresses.slice(0, maxKeyAddresses) }),
  }
}

export const inspectNewKey = (call: Call, input: unknown): Promise<ErrorDetail[]> =>
  keyProblems(call, wellTyped((input as { apiKey?: unknown }).apiKey))

export const inspectKeyPatch = (call: Call, input: unknown): Promise<ErrorDetail[]> =>
  keyProblems(call, wellTyped((input as { patch?: unknown }).patch))
