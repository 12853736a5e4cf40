import { ApiError, NetworkError } from 'worklore-client'
import {
  CommandError,
  exitConflict,
  exitFailed,
  exitNothing,
  exitUnauthorized,
  exitUnavailable,
  exitUsage,
} from './exit-codes.js'
import { wordsOf } from './wording.js'

/** What is printed of an error, and the exit code. */
export interface Failure {
  line: string
  exitCode: number
  /** The error as the service answered it. */
  body?: unknown
}

/** Returns the exit code for the HTTP status of a failed request. */
export const exitCodeOf = (status: number): number => codesByStatus[status] ?? exitFailed

const codesByStatus: Record<number, number> = {
  400: exitUsage,
  413: exitUsage,
  415: exitUsage,
  401: exitUnauthorized,
  403: exitUnauthorized,
  404: exitNothing,
  410: exitNothing,
  409: exitConflict,
  412: exitConflict,
  408: exitUnavailable,
  429: exitUnavailable,
  502: exitUnavailable,
  503: exitUnavailable,
  504: exitUnavailable,
}

const isNotFound = ({ message }: { message: string }): boolean => / not found$/.test(message)

const isUnknownRoute = ({ status, code, message }: ApiError): boolean =>
  status === 405 || (status === 404 && (code !== 'NOT_FOUND' || /^No route|without an error body\.$/.test(message)))

const ofAnswer = (error: ApiError, url: string, projectSource?: string): Failure => {
  const { fields, status, retryAfter } = error
  const body = { error: fields }
  if (isUnknownRoute(error)) {
    const line = `The server at ${url} does not support this command: it is older than wl, or not a Worklore server.`
    return { line, exitCode: exitFailed, body }
  }
  const said = wordsOf(error, projectSource)
  // Who waits for a claim waits for its end, which the message tells.
  const saysWait = retryAfter === undefined || fields.reason === 'claimed' || /\d+ ?s/.test(said)
  const next = status === 401 ? 'Run wl login, or set WORKLORE_KEY.' : !saysWait && `Try again in ${retryAfter} s.`
  // The API returns 400 if a field of the body names a missing record. For `wl`, that is a record not found.
  const isMissing = status === 400 && error.details.length > 0 && error.details.every(isNotFound)
  const usualCode = exitCodeOf(status)
  const exitCode = fields.reason === 'quota' ? exitUnavailable : isMissing ? exitNothing : usualCode
  return { line: [said, next].filter(Boolean).join(' '), exitCode, body }
}

/** Node writes `ENOSPC: no space left on device, write 'file'`. */
const ofSystem = ({ path, message }: NodeJS.ErrnoException): string => {
  const reason = message.replace(/^E\w+: /, '').replace(/, [a-z]+( '.*)?$/, '')
  return `${path ?? 'Cannot write the output'}: ${reason}.`
}

/** `projectSource` is what set the project that was asked for. */
export const failureOf = (error: unknown, url: string, projectSource?: string): Failure => {
  if (error instanceof CommandError) return { line: error.message, exitCode: error.exitCode }
  if (error instanceof ApiError) return ofAnswer(error, url, projectSource)
  if (error instanceof NetworkError) {
    const why = error.message.replace(/^The service could not .*?: /, '').replace(/\.$/, '')
    const line = /not valid JSON/.test(why)
      ? `The server at ${url} did not answer with JSON: it is not a Worklore server.`
      : `Cannot reach ${url}: ${why}. Check the address and that the service runs.`
    return { line, exitCode: exitUnavailable }
  }
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && /^E[A-Z]+$/.test(code)) {
    return { line: ofSystem(error as NodeJS.ErrnoException), exitCode: exitFailed }
  }
  return { line: error instanceof Error ? error.message : String(error), exitCode: exitFailed }
}
