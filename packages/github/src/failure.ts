import { RequestError } from '@octokit/request-error'
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

export interface Failure {
  line: string
  exitCode: number
}

const codesByStatus: Record<number, number> = {
  400: exitUsage,
  401: exitUnauthorized,
  403: exitUnauthorized,
  404: exitNothing,
  408: exitUnavailable,
  409: exitConflict,
  410: exitNothing,
  412: exitConflict,
  422: exitUsage,
  429: exitUnavailable,
}

const codeOf = (status: number): number => codesByStatus[status] ?? (status >= 500 ? exitUnavailable : exitFailed)

/** What is printed of an error, and the exit code. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof CommandError) return { line: error.message, exitCode: error.exitCode }
  if (error instanceof ApiError) return { line: `Worklore: ${error.message}`, exitCode: codeOf(error.status) }
  if (error instanceof NetworkError) return { line: `Worklore: ${error.message}`, exitCode: exitUnavailable }
  if (error instanceof RequestError) {
    if (error.response === undefined)
      return { line: `Cannot reach GitHub: ${error.message}`, exitCode: exitUnavailable }
    const { method, url } = error.request
    const line = `GitHub: ${error.message} (${error.status}, ${method} ${new URL(url).pathname})`
    return { line, exitCode: codeOf(error.status) }
  }
  return { line: error instanceof Error ? error.message : String(error), exitCode: exitFailed }
}
