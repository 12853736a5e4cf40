import type { JWTHeaderParameters, JWTPayload, JWTVerifyOptions, JWTVerifyResult, RemoteJWKSet } from 'jose'
import type { ClientAuth, Configuration } from 'openid-client'
import type { Clock } from '../../../base/clock.js'
import { type AppError, unavailable } from '../../../base/errors.js'
import { isLoopbackUrl, type OidcIssuer } from '../../../base/oidc-settings.js'
import { tokenRefused } from '../unauthorized.js'
import { areComplete, type Claims, mergeClaims } from './claims.js'
import { signInRefused } from './refusals.js'

/** What a browser must bring back from the issuer for its sign-in to be completed. */
export interface LoginChecks {
  issuer: string
  state: string
  nonce: string
  verifier: string
}

/** What an issuer says of whoever signed in. */
export interface SignedIn {
  claims: Claims
  /** The id of the session there, where the issuer says it. */
  issuerSession: string | undefined
}

/** An issuer's request to end sessions. */
export interface LogoutToken {
  id: string
  /** When the token is no longer accepted. */
  expiresAtMs: number
  subject: string | undefined
  issuerSession: string | undefined
}

/** The service as a client of an issuer. Nothing is loaded or asked for before it is needed. */
export interface IssuerClient {
  readonly settings: OidcIssuer
  begin(redirectUri: string): Promise<{ url: string; checks: LoginChecks }>
  /** Completes a sign-in with the address that the browser was sent back to. */
  complete(callbackUrl: URL, checks: LoginChecks): Promise<SignedIn>
  /** The claims of an access token for one of the audiences. */
  verifyAccessToken(token: string, audiences: readonly string[]): Promise<Claims & { exp: number }>
  verifyLogoutToken(token: string): Promise<LogoutToken>
}

const clockToleranceSeconds = 60
const requestTimeoutSeconds = 10
/** Metadata is read again after so long. */
const metadataForMs = 3_600_000
/** Requests for metadata and keys, so that tokens with made-up keys do not become requests to the issuer. */
const maxKeyRequests = 6
const keyRequestsPerMs = 60_000
/** Asymmetric ones: the client's secret signs nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** Maximum age of a logout token on receipt, in addition to the clock tolerance. */
const maxLogoutAgeSeconds = 300

const unreachable = (cause?: unknown): AppError =>
  unavailable('The issuer of this token does not answer. Try again shortly.', 10, cause)

/** The requests that may be made in a while are used up. */
class BudgetError extends Error {}

/** Takes one of a few requests that may be made in a while; throws where there are none left. */
const createRequestBudget = (): (() => void) => {
  let openedAtMs = Number.NEGATIVE_INFINITY
  let used = 0
  return () => {
    const nowMs = performance.now()
    if (nowMs - openedAtMs >= keyRequestsPerMs) {
      openedAtMs = nowMs
      used = 0
    }
    if (used >= maxKeyRequests) throw new BudgetError()
    used++
  }
}

/** The keys of an issuer, as one kind of tokens looks them up. */
interface SigningKeys {
  find: RemoteJWKSet
  /** Whether the last look-up was not answered. */
  isFailing: boolean
}

interface Discovered {
  oidc: typeof import('openid-client')
  jose: typeof import('jose')
  configuration: Configuration
  /** For tokens that anyone can send. */
  tokenKeys: SigningKeys
  /** For tokens that the issuer gave in exchange for a code: others cannot use up its look-ups. */
  signInKeys: SigningKeys
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')

/** Of the library that signs in: what a failed sign-in is refused with. */
const refusalOfError = (error: unknown): AppError => {
  const code = codeOf(error)
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return signInRefused('denied', error)
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') {
    return signInRefused((error as { error?: unknown }).error === 'invalid_grant' ? 'code' : 'response', error)
  }
  const isUnanswered =
    ['OAUTH_TIMEOUT', 'SERVICE_UNAVAILABLE'].includes(code) || error instanceof BudgetError || isFetchError(error)
  return signInRefused(isUnanswered ? 'unreachable' : 'response', error)
}

/** The platform's fetch fails with a TypeError that has the socket's error as its cause. */
const isFetchError = (error: unknown): boolean =>
  error instanceof TypeError && error.cause !== undefined && error.message === 'fetch failed'

/** Claims that only ID tokens and logout tokens have, and the one of tokens that need a proof besides. */
const foreignClaims = ['at_hash', 'c_hash', 'events', 'cnf']
/** Keycloak says in a claim what the type in the header does not. */
const foreignTypes: readonly unknown[] = ['ID', 'Logout', 'Refresh', 'Offline']

/** Whether a token is an access token that is good for whoever has it. */
const isBearerToken = ({ typ = 'JWT' }: JWTHeaderParameters, claims: JWTPayload): boolean =>
  /^(application\/)?(at\+)?jwt$/i.test(typ) &&
  typeof claims.sub === 'string' &&
  claims.sub !== '' &&
  !foreignTypes.includes(claims.typ) &&
  !foreignClaims.some((name) => Object.hasOwn(claims, name))

export const createIssuerClient = (settings: OidcIssuer, clock: Clock): IssuerClient => {
  const { issuer, clientId, clientSecret, scope } = settings
  const [takeTokenRequest, takeSignInRequest] = [createRequestBudget(), createRequestBudget()]
  let known: Discovered | undefined
  let freshUntilMs = 0
  let discovering: Promise<Discovered> | undefined

  const discover = async (): Promise<Discovered> => {
    const [oidc, jose] = await Promise.all([import('openid-client'), import('jose')])
    takeTokenRequest()
    const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)]
    const authenticate: ClientAuth = (server, ...rest) => {
      const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
    }
    const url = new URL(issuer)
    const metadata = {
      [oidc.clockTolerance]: clockToleranceSeconds,
      [oidc.clockSkew]: Math.round((clock() - Date.now()) / 1_000),
    }
    const configuration = await oidc.discovery(url, clientId, metadata, authenticate, {
      execute: isLoopbackUrl(url) ? [oidc.allowInsecureRequests] : [],
      timeout: requestTimeoutSeconds,
    })
    const { jwks_uri } = configuration.serverMetadata()
    if (jwks_uri === undefined) throw signInRefused('response')
    const keysWithin = (takeRequest: () => void): SigningKeys => {
      const keys: SigningKeys = {
        isFailing: false,
        find: jose.createRemoteJWKSet(new URL(jwks_uri), {
          cooldownDuration: 0,
          [jose.customFetch]: async (address, options) => {
            takeRequest()
            keys.isFailing = true
            const response = await fetch(address, options)
            keys.isFailing = !response.ok
            return response
          },
        }),
      }
      return keys
    }
    const [tokenKeys, signInKeys] = [keysWithin(takeTokenRequest), keysWithin(takeSignInRequest)]
    return { oidc, jose, configuration, tokenKeys, signInKeys }
  }

  const renew = async (): Promise<Discovered> => {
    try {
      known = await discover()
    } catch (error) {
      if (!known) throw error
    }
    freshUntilMs = performance.now() + metadataForMs
    return known
  }

  const discovered = (): Promise<Discovered> => {
    if (known && performance.now() < freshUntilMs) return Promise.resolve(known)
    discovering ??= renew().finally(() => {
      discovering = undefined
    })
    return discovering
  }

  const verify = async (
    token: string,
    expected: JWTVerifyOptions,
    kind: 'tokenKeys' | 'signInKeys' = 'tokenKeys',
  ): Promise<JWTVerifyResult> => {
    const { jose, [kind]: keys } = await discovered().catch((error) => {
      throw unreachable(error)
    })
    try {
      const common = { issuer, algorithms, clockTolerance: clockToleranceSeconds, currentDate: new Date(clock()) }
      return await jose.jwtVerify(token, keys.find, { ...common, ...expected })
    } catch (error) {
      if (error instanceof jose.errors.JWTExpired) throw tokenRefused('expired')
      const isAboutToken = error instanceof jose.errors.JOSEError && codeOf(error).startsWith('ERR_J')
      const isUnanswered = ['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'].includes(codeOf(error))
      const isUnknownKey = error instanceof BudgetError && keys.find.fresh && !keys.isFailing
      if ((isAboutToken && !isUnanswered) || isUnknownKey) throw tokenRefused('invalid')
      throw unreachable(error)
    }
  }

  const withUserInfo = async (
    { oidc, configuration }: Discovered,
    claims: Claims,
    accessToken: string,
  ): Promise<Claims> => {
    if (areComplete(settings, claims) || !configuration.serverMetadata().userinfo_endpoint) return claims
    return mergeClaims(claims, await oidc.fetchUserInfo(configuration, accessToken, claims.sub))
  }

  return {
    settings,

    begin: async (redirectUri) => {
      try {
        const { oidc, configuration } = await discovered()
        const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope,
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, checks: { issuer, state, nonce, verifier } }
      } catch (error) {
        throw refusalOfError(error)
      }
    },

    complete: async (callbackUrl, { state, nonce, verifier }) => {
      try {
        const found = await discovered()
        const { oidc, configuration } = found
        const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const expected = { audience: clientId, requiredClaims: ['sub', 'exp', 'iat'] }
        const { payload: signed } = await verify(tokens.id_token!, expected, 'signInKeys')
        const claims = await withUserInfo(found, signed as Claims, tokens.access_token)
        return { claims, issuerSession: typeof signed.sid === 'string' ? signed.sid : undefined }
      } catch (error) {
        throw refusalOfError(error)
      }
    },

    verifyAccessToken: async (token, audiences) => {
      const expected = { audience: [...audiences], requiredClaims: ['sub', 'exp'] }
      const { payload: claims, protectedHeader } = await verify(token, expected)
      if (!isBearerToken(protectedHeader, claims)) throw tokenRefused('invalid')
      // An ID token of the service itself, where the issuer has the same audience for both.
      if ([claims.aud].flat().includes(clientId) && claims.nonce !== undefined) throw tokenRefused('invalid')
      return claims as Claims & { exp: number }
    },

    verifyLogoutToken: async (token) => {
      const { payload } = await verify(token, {
        audience: clientId,
        requiredClaims: ['iat', 'jti', 'events'],
        maxTokenAge: maxLogoutAgeSeconds,
      })
      const { sub, sid, events, nonce, jti, iat } = payload
      const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent)
      const issuerSession = typeof sid === 'string' ? sid : undefined
      if (
        !isLogout ||
        nonce !== undefined ||
        typeof jti !== 'string' ||
        (sub === undefined && issuerSession === undefined)
      ) {
        throw tokenRefused('invalid')
      }
      const expiresAtMs = (iat! + maxLogoutAgeSeconds + clockToleranceSeconds) * 1_000
      return { id: jti, expiresAtMs, subject: sub, issuerSession }
    },
  }
}
