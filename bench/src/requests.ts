import { adminKey } from './service-process.js'

const head = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${adminKey}\r\n`

export const getRequest = (path: string): string => `${head('GET', path)}\r\n`

/** A list or a search that the service is to read from its store, though it may know the answer. */
export const coldRequest = (path: string): string => `${head('GET', path)}Cache-Control: no-cache\r\n\r\n`

export const jsonRequest = (
  method: 'POST' | 'PATCH' | 'PUT',
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const text = JSON.stringify(body)
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${head(method, path)}${more.join('')}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

export interface Answer {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any
}

/** One request outside of the load, to prepare it. */
export const call = async (
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${adminKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}
