import { parseRange } from '../../base/address-ranges.js'
import { parseMoment } from '../../base/dates.js'
import type { ErrorDetail } from '../../base/errors.js'
import { maxNameLength } from '../../base/fields.js'
import type { Call } from '../../operations/call.js'
import { unknownProjectDetail } from '../projects/service.js'
import { unknownUserDetail } from '../users/service.js'
import type { NewApiKey } from './schema.js'

/** Returns the problems of a key's fields that the schema cannot detect, including references to missing records. */
export const keyProblems = async (
  call: Call,
  { name, projectIds, userId, user, expiresAt, allowedAddresses }: Partial<NewApiKey>,
): Promise<ErrorDetail[]> => {
  const problems: (ErrorDetail | undefined)[] = []
  // Names from the operator's command line have not been validated against a schema.
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
