import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ApiError } from 'worklore-client'
import { failureOf } from '../src/failure.js'

const server = fileURLToPath(new URL('../../../server/src', import.meta.url))

const lineOf = (status: number, fields: Record<string, unknown>): string =>
  failureOf(new ApiError(status, { code: 'CONFLICT', message: '', ...fields }), 'http://x').line

/** The texts in quotes of a source file that are sentences. */
const sentencesIn = (source: string): string[] =>
  [...source.matchAll(/'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`/g)]
    .map(([, plain, template]) => plain ?? template!.replaceAll(/\$\{[^}]*\}/g, 'X'))
    .filter((text) => /^[A-Z].* .*[.]$/.test(text))

describe('what wl says of an error', () => {
  it('speaks of wl, and of no header or route, whatever the service says', () => {
    const files = (readdirSync(server, { recursive: true }) as string[]).filter((file) => /(?<!\.test)\.ts$/.test(file))
    const said = files.flatMap((file) => sentencesIn(readFileSync(join(server, file), 'utf8')))
    assert.ok(said.length > 100, `${said.length} sentences`)
    for (const hint of said) {
      const line = `${lineOf(409, { message: 'It is so.', hint })} ${lineOf(409, { message: hint })}`
      assert.doesNotMatch(
        line,
        /\/v1\/|\b(GET|POST|PUT|PATCH|DELETE) \/|\bheader|If-(None-)?Match|Worklore-Claim/,
        hint,
      )
    }
  })

  it('names what to do instead', () => {
    const cases: [status: number, fields: Record<string, unknown>, line: string][] = [
      [
        409,
        { message: 'X-1 is claimed by "a" until 2030. Send the token in the Worklore-Claim header.' },
        'X-1 is claimed by "a" until 2030. Name the claim with --claim-token TOKEN.',
      ],
      [
        412,
        {
          message:
            'The record is now at version 3. Read it again, reapply your change and send that version in If-Match.',
        },
        'The record is now at version 3. Look at it again, then repeat the change.',
      ],
      [
        409,
        {
          message: 'X-1 has 2 subtasks. Delete them first, or use force.',
          hint: 'Repeat the request with ?force=true.',
        },
        'X-1 has 2 subtasks. Delete them first, or add --force. Repeat it with --force.',
      ],
      [
        404,
        { code: 'NOT_FOUND', message: 'Project "X" not found.', hint: 'GET /v1/projects lists the projects.' },
        'Project "X" not found. wl projects lists the projects.',
      ],
      [
        404,
        { code: 'NOT_FOUND', message: 'User "x" not found.', hint: 'GET /v1/users lists the users.' },
        'User "x" not found.',
      ],
      [
        400,
        {
          code: 'VALIDATION_ERROR',
          message: 'Invalid request: dueDate must be a date.',
          details: [{ path: 'dueDate', message: 'must be a date' }],
        },
        '--due must be a date.',
      ],
      [
        400,
        {
          code: 'VALIDATION_ERROR',
          message: 'Invalid request',
          details: [
            { path: 'tags.0', message: 'must not be empty' },
            { path: 'validUntil', message: 'must be a timestamp' },
            { path: 'supersedes.1', message: 'names no item of the same place: "x"' },
          ],
        },
        '--tag must not be empty; --valid-until must be a timestamp; --supersedes names no item of the same place: "x".',
      ],
      [
        404,
        { code: 'NOT_FOUND', message: 'Not found in project "X". It is tenant-wide: leave projectId out.' },
        'Not found in project "X". It is of the whole tenant: use --tenant.',
      ],
      [
        409,
        { message: 'Since then "a" changed it. Use includeConflicts to undo it too.' },
        'Since then "a" changed it. Add --include-conflicts to undo it too.',
      ],
      [
        409,
        { message: 'X-1 has subtasks created by others. Use includeConflicts to delete them too.' },
        'X-1 has subtasks created by others. Add --include-conflicts to delete them too.',
      ],
      [
        500,
        {
          code: 'INTERNAL_ERROR',
          message: 'Internal error. Try again; if it persists, report the requestId.',
          requestId: 'req_1',
        },
        'Internal error. Try again; if it persists, report the request req_1.',
      ],
    ]
    for (const [status, fields, line] of cases) assert.equal(lineOf(status, fields), line)
  })
})
