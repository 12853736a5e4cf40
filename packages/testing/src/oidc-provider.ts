import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createSocketServer } from 'node:net'
import Provider, { type ClientMetadata, type Configuration, type JWK } from 'oidc-provider'

/** A port of this machine that was free just now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createSocketServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** What the provider says of an account. */
type AccountClaims = Record<string, unknown>

export interface TestProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** By the accounts' subjects. */
  accounts: Map<string, AccountClaims>
  /** Who signs in when nobody is asked. */
  current: string
  /** The key that tokens are signed with now. */
  signingKey(): { kid: string; key: ReturnType<typeof createPrivateKey> }
  /** Lets another key sign from now on; the former one is no longer published. */
  rotateKeys(): void
  /** Requests for its keys, by path. */
  requestCount(path: string): number
  /** Answers nothing until it is `resumed`. */
  isDown: boolean
  /** Answered with 500. */
  failingPath: string | undefined
  stop(): Promise<void>
}

interface ProviderOptions {
  serviceUrl: string
  /** The port to listen on; any free one by default. */
  port?: number
  /** Asks in a page who signs in, with a button for each account. */
  asks?: boolean
  configuration?: Partial<Configuration>
  client?: Partial<ClientMetadata>
}

const newKey = (): JWK => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' } as JWK
}

const accountPage = (uid: string, accounts: Iterable<string>): string =>
  `<!doctype html><title>Provider</title><h1>Choose an account</h1>${[...accounts]
    .map((id) => `<p><a href="/interaction/${uid}?account=${encodeURIComponent(id)}">${id}</a></p>`)
    .join('')}<p><a href="/interaction/${uid}?deny=1">Cancel</a></p>`

/** A real provider of OpenID Connect on loopback, with one client: the service. */
export const startProvider = async (options: ProviderOptions): Promise<TestProvider> => {
  const { serviceUrl, port = await freePort(), asks = false } = options
  const issuer = `http://127.0.0.1:${port}`
  const accounts = new Map<string, AccountClaims>()
  const requests = new Map<string, number>()
  const [clientId, clientSecret] = ['worklore-test', 'client-secret-0123456789-0123456789']
  let key = newKey()

  const create = (): Provider =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${serviceUrl}/console/oidc/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          backchannel_logout_uri: `${serviceUrl}/console/oidc/logout`,
          backchannel_logout_session_required: true,
          ...options.client,
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ['of a test'] },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      extraTokenClaims: (_context, token) => ('accountId' in token ? accounts.get(String(token.accountId)) : undefined),
      // Its own refuses addresses of this machine.
      fetch: (address, { dispatcher: _, ...init }: RequestInit = {}) => fetch(address, init),
      pkce: { required: () => true },
      ttl: { Session: 3_600, Grant: 3_600, Interaction: 3_600, AccessToken: 3_600, IdToken: 3_600 },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async (context) => {
        const { client, session, provider, params } = context.oidc
        const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
        grant.addOIDCScope('openid email profile')
        const resources = [params?.resource].flat().filter((resource) => typeof resource === 'string')
        for (const resource of resources) grant.addResourceScope(resource, 'openid email profile')
        await grant.save()
        return grant
      },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        registration: { enabled: true },
        rpInitiatedLogout: {
          logoutSource: (context, form) => {
            context.body = form
          },
        },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_context, resource) => ({
            scope: 'openid email profile',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 3_600,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
      ...options.configuration,
    })

  // It warns on standard error that it is set up for tests, which it is.
  const quietly = (): Provider => {
    const { warn, info } = console
    Object.assign(console, { warn: () => {}, info: () => {} })
    try {
      return create()
    } finally {
      Object.assign(console, { warn, info })
    }
  }
  let provider = quietly()
  let answer = provider.callback()
  const state = { current: '', isDown: false, failingPath: undefined as string | undefined }

  const interact = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const { uid, prompt } = await provider.interactionDetails(request, response)
    // Asked for each sign-in of a native application.
    if (prompt.name === 'consent') return provider.interactionFinished(request, response, { consent: {} })
    const chosen = url.searchParams.get('account') ?? (asks ? undefined : state.current)
    if (url.searchParams.has('deny')) {
      return provider.interactionFinished(request, response, { error: 'access_denied' })
    }
    if (chosen !== undefined) {
      return provider.interactionFinished(request, response, { login: { accountId: chosen } })
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(accountPage(uid, accounts.keys()))
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    requests.set(url.pathname, (requests.get(url.pathname) ?? 0) + 1)
    if (state.isDown) return request.socket.destroy()
    if (url.pathname === state.failingPath) return void response.writeHead(500).end()
    if (!url.pathname.startsWith('/interaction/')) return void answer(request, response)
    interact(request, response, url).catch((error) => response.writeHead(500).end(String(error)))
  })
  // It never closes a connection that the service is about to use.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return Object.assign(state, {
    issuer,
    clientId,
    clientSecret,
    accounts,
    signingKey: () => ({ kid: key.kid!, key: createPrivateKey({ key: key as never, format: 'jwk' }) }),
    rotateKeys: () => {
      key = newKey()
      provider = quietly()
      answer = provider.callback()
    },
    requestCount: (path: string) => requests.get(path) ?? 0,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
