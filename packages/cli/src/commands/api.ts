import type { ApiRequest } from 'worklore-client'
import { command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { textOf } from '../input.js'
import { text, texts } from '../option.js'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw usageError(`--data must be JSON: ${(error as Error).message}.`)
  }
}

const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
      if (name === undefined) throw usageError(`--header must be "NAME: VALUE", not "${line}".`)
      return [name.toLowerCase(), value!]
    }),
  )

export const api = command({
  words: ['METHOD', 'PATH'],
  more: 'Prints the response as JSON. /docs of the server describes every operation.',
  options: {
    data: text('JSON', 'The body; - reads it from standard input', 'd'),
    header: texts('NAME: VALUE', 'Such as "If-Match: 3"; repeat it for several', 'H'),
  },
  run: async (cli, { data, header }, [method, path]) => {
    const known = methods.find((each) => each === method!.toUpperCase())
    if (!known) throw usageError(`METHOD must be one of ${methods.join(', ')}.`)
    if (!path!.startsWith('/')) throw usageError('PATH must begin with a slash, such as /v1/tasks.')
    const request: ApiRequest = { method: known, path: path!, headers: headersOf(header ?? []) }
    const body = await cli
      .client()
      .request(data === undefined ? request : { ...request, body: parsed(await textOf(data)) })
    return { body, ids: [], text: () => JSON.stringify(body, null, 2) }
  },
})
