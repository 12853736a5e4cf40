import { expectStatus } from './expect.js'
import { type Answer, type RequestOptions, send, type TestTenant } from './harness.js'

export const sameOrigin = { 'sec-fetch-site': 'same-origin' }

/** A browser that is signed in to the web console. */
export interface Browser {
  /** The cookie as a browser sends it: its name and value. */
  cookie: string
  secret: string
  session: { id: string; keyId: string; expiresAt: string }
  /** All that a request of the console's own page carries. */
  headers: Record<string, string>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
}

type Credential = { key: string } | { link: string }

/** As sent by a page, without a key; nothing is held against the document. */
export const trade = (
  { baseUrl }: Pick<TestTenant, 'baseUrl'>,
  body: unknown,
  headers: Record<string, string> = sameOrigin,
): Promise<Answer> => send(baseUrl, 'POST', '/console/session', { body, headers })

export const cookieOf = (answer: Answer): string => answer.headers['set-cookie']![0]!.split(';', 1)[0]!

export const signIn = async (wl: TestTenant, credential: Credential = { key: wl.adminKey }): Promise<Browser> => {
  const body = 'link' in credential ? { link: credential.link } : { key: credential.key }
  const answer = expectStatus(await trade(wl, body), 201)
  const { secret, ...session } = answer.body.data
  const cookie = cookieOf(answer)
  const headers = { ...sameOrigin, cookie, 'worklore-session': secret }
  const request: Browser['request'] = (method, path, options = {}) =>
    wl.request(method, path, { key: null, ...options, headers: { ...headers, ...options.headers } })
  return {
    cookie,
    secret,
    session,
    headers,
    request,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, { body }),
  }
}

/** A new key of the first tenant: its id and secret. */
export const addKey = async (wl: TestTenant, fields: object = {}): Promise<{ id: string; key: string }> =>
  expectStatus(await wl.post('/v1/keys', { name: 'of a test', scopes: ['admin'], ...fields }), 201).body.data

export const addLink = async (wl: TestTenant, keyId: string): Promise<string> =>
  expectStatus(await wl.post(`/v1/keys/${keyId}/console-link`, {}), 200).body.data.link
