import { RequestError } from '@octokit/request-error'
import { ApiError } from 'worklore-client'
import { exitCodeOf, exitUnavailable, exitUsage, type Failure, failureOf as failureOfWorklore } from '#command-line'

const exitCodeOfGitHub = (status: number): number =>
  status >= 500 ? exitUnavailable : status === 422 ? exitUsage : exitCodeOf(status)

/** Returns the message to print for an error, and the exit code. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof RequestError) {
    if (error.response === undefined)
      return { line: `Cannot reach GitHub: ${error.message}`, exitCode: exitUnavailable }
    const { method, url } = error.request
    const line = `GitHub: ${error.message} (${error.status}, ${method} ${new URL(url).pathname})`
    return { line, exitCode: exitCodeOfGitHub(error.status) }
  }
  if (error instanceof ApiError && error.status >= 500) return { line: error.message, exitCode: exitUnavailable }
  return failureOfWorklore(error, 'the Worklore server')
}
