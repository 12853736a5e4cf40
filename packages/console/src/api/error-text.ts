import { ApiError, NetworkError } from 'worklore-client'
import { sentenceOf } from './error-sentences'

/** `blockedBy.0` → `blocked by` */
const fieldOf = (path: string): string =>
  path
    .replace(/\.\d+/g, '')
    .replace(/Ids?$/, '')
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()

const withStop = (text: string): string => text + (/[.?!]$/.test(text) ? '' : '.')

const problemsOf = ({ details }: ApiError): string => {
  const problems = [...new Set(details.map(({ path, message }) => `${fieldOf(path)} ${message}`.trim()))].join('; ')
  return withStop(problems.charAt(0).toUpperCase() + problems.slice(1))
}

/** Why a change was not made. */
export const errorText = (error: unknown): string => {
  if (error instanceof ApiError) return error.details.length > 0 ? problemsOf(error) : sentenceOf(error)
  if (error instanceof NetworkError) return 'The service did not answer. Check whether the change was saved.'
  return error instanceof Error ? error.message : String(error)
}

/** Why something could not be read. */
export const readErrorText = (error: unknown): string =>
  error instanceof NetworkError
    ? 'The service did not answer. Check that it is running, then try again.'
    : errorText(error)
