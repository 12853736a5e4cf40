import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { freePort } from 'worklore-testing/oidc-provider'

/** An issuer that says whatever a test wants: what a real one never would. */
export interface HostileIssuer {
  issuer: string
  /** Claims of the next ID token, over the right ones; undefined takes one away. */
  claims: Record<string, unknown>
  /** What userinfo says of the same subject. */
  userInfo: Record<string, unknown>
  /** Parameters of the next callback, over the right ones. */
  callback: Record<string, string | undefined>
  /** Of the next ID token; its own by default. */
  signer: ReturnType<typeof generateKeyPairSync>['privateKey'] | undefined
  stop(): Promise<void>
}

const defined = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

export const startHostileIssuer = async (clientId: string): Promise<HostileIssuer> => {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const state: Omit<HostileIssuer, 'stop'> = { issuer, claims: {}, userInfo: {}, callback: {}, signer: undefined }
  let nonce = ''

  const idToken = (): Promise<string> => {
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const right = { iss: issuer, aud: clientId, sub: 'eve', nonce, iat: nowSeconds, exp: nowSeconds + 300 }
    const email = { email: 'eve@example.com', email_verified: true }
    return new SignJWT(defined({ ...right, ...email, ...state.claims }) as JWTPayload)
      .setProtectedHeader({ alg: 'RS256', kid: 'own' })
      .sign(state.signer ?? privateKey)
  }

  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const json = (body: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (url.pathname === '/.well-known/openid-configuration') return json(metadata)
    if (url.pathname === '/jwks') return json({ keys: [jwk] })
    if (url.pathname === '/userinfo') return json({ sub: 'eve', ...state.userInfo })
    if (url.pathname === '/token') {
      idToken().then((id_token) => json({ access_token: 'opaque', token_type: 'Bearer', id_token }))
      return
    }
    nonce = url.searchParams.get('nonce') ?? ''
    const back = new URL(url.searchParams.get('redirect_uri')!)
    const right = { code: 'a-code', state: url.searchParams.get('state') ?? undefined, iss: issuer }
    for (const [name, value] of Object.entries(defined({ ...right, ...state.callback }))) {
      back.searchParams.set(name, String(value))
    }
    response.writeHead(302, { location: back.href }).end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return Object.assign(state, {
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
