import { ApiError, type ErrorReason, NetworkError } from 'worklore-client'
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

/** Whether the server does not know the route, or is not a Worklore server. */
const isUnknownRoute = ({ status, reason }: ApiError): boolean =>
  status === 405 || (status === 404 && (reason === undefined || reason === 'no_route'))

/** Reasons whose sentence says how long to wait. */
const saysWait: readonly (ErrorReason | undefined)[] = ['claimed', 'rate']

const ofAnswer = (error: ApiError, url: string, projectSource?: string): Failure => {
  const { fields, status, reason, retryAfter } = error
  const body = { error: fields }
  if (isUnknownRoute(error)) {
    const line = `The server at ${url} does not support this command: it is older than wl, or not a Worklore server.`
    return { line, exitCode: exitFailed, body }
  }
  const said = wordsOf(error, projectSource)
  const wait = retryAfter !== undefined && !saysWait.includes(reason) && `Try again in ${retryAfter} s.`
  const next = status === 401 ? 'Run wl login, or set WORKLORE_KEY.' : wait
  const exitCode = (reason && exitCodes[reason]) ?? exitCodeOf(status)
  return { line: [said, next].filter(Boolean).join(' '), exitCode, body }
}

/** Exit codes of reasons that do not use the exit code of their status. */
const exitCodes: Partial<Record<ErrorReason, number>> = {
  quota: exitUnavailable,
  // The API returns 400 if a field of the body names a missing record. For `wl`, that is a record not found.
  unknown_record: exitNothing,
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
