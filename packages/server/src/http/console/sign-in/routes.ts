import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorCodes } from '../../../base/error-reasons.js'
import { AppError } from '../../../base/errors.js'
import { randomBase62 } from '../../../base/ids.js'
import { rateLimitHeaders } from '../../../limits/headers.js'
import { overLimit } from '../../../limits/over-limit.js'
import type { Core } from '../../../operations/core.js'
import type { IssuerClient, LoginChecks } from '../../../tenancy/keys/sign-in/issuer-client.js'
import { refusalOf, signInRefused } from '../../../tenancy/keys/sign-in/refusals.js'
import { linkFor, type SignIn } from '../../../tenancy/keys/sign-in/service.js'
import { sendJson } from '../../api/answer.js'
import type { Query } from '../../api/query.js'
import { requestNames } from '../../api/request.js'
import { noStore } from '../../caching/headers.js'
import { linkCookie, loginCookie, loginLifetimeMs } from './cookies.js'
import { failurePage, failurePageHeaders } from './failure-page.js'
import { registerIssuerLogout } from './issuer-logout.js'

const loginPath = '/console/oidc/login'
const callbackPath = '/console/oidc/callback'
/** Where the sealed checks of a login belong. */
const place = 'sign-in'

/** Begun at the same time in a browser: a further one replaces the oldest. */
const maxLogins = 4

interface SealedLogin extends LoginChecks {
  startedAtMs: number
}

const loginPathOf = ({ settings }: IssuerClient): string =>
  `${loginPath}?${new URLSearchParams({ issuer: settings.issuer })}`

/** Which issuers there are, for the page that offers them. */
const registerIssuers = (app: FastifyInstance, { signIn, config }: Core): void => {
  const issuers = (signIn?.clients ?? []).map((client) => ({
    name: client.settings.name,
    url: config.publicUrl + loginPathOf(client),
  }))
  app.get('/console/oidc/issuers', (_request, reply) =>
    sendJson(reply.header('cache-control', noStore), JSON.stringify({ data: issuers })),
  )
}

/** Signing in to the web console with an account of an issuer. */
export const registerSignIn = (app: FastifyInstance, core: Core): void => {
  registerIssuers(app, core)
  const { signIn, config } = core
  if (!signIn || config.publicUrl === undefined) return
  registerBrowserSignIn(app, core, signIn, config.publicUrl)
  registerIssuerLogout(app, core, signIn)
}

const registerBrowserSignIn = (app: FastifyInstance, core: Core, signIn: SignIn, publicUrl: string): void => {
  const { db, clock, limiter, secretBox } = core
  const [login, link] = [loginCookie(publicUrl), linkCookie(publicUrl)]

  const opened = (sealed: string): SealedLogin[] => {
    try {
      const logins = JSON.parse(secretBox.open(place, sealed)) as SealedLogin[]
      return logins.filter(({ startedAtMs }) => clock() - startedAtMs < loginLifetimeMs)
    } catch {
      return []
    }
  }

  /** The logins that this browser began and has not ended, in several tabs perhaps. */
  const loginsOf = (request: FastifyRequest): SealedLogin[] => login.values(request).flatMap(opened)

  const keepLogins = async (logins: readonly SealedLogin[]): Promise<string> =>
    logins.length === 0
      ? login.cleared()
      : login.set(await secretBox.seal(db, place, JSON.stringify(logins.slice(-maxLogins))))

  /** Counted as every other request without a valid key. */
  const fail = (
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    client: IssuerClient | undefined,
  ): FastifyReply => {
    const refusal = refusalOf(error)
    if (refusal === undefined || !(error instanceof AppError)) throw error
    const { cause } = error as { cause?: { code?: unknown; message?: unknown } }
    request.log.warn(
      { ...requestNames(request), issuer: client?.settings.issuer, refusal, code: cause?.code, reason: cause?.message },
      'sign-in refused',
    )
    core.refusals.note({
      action: 'auth.failed',
      actor: undefined,
      tenantId: signIn.knownTenantId(client),
      origin: { requestId: request.id, via: 'console', address: request.ip },
      details: { reason: 'sign_in', refusal, ...(client && { issuer: client.settings.issuer }) },
    })
    const decision = limiter.takeAnonymous(request.ip)
    reply.headers(rateLimitHeaders(decision))
    if (!decision.isAllowed) throw overLimit(decision)
    const again = loginPathOf(client ?? signIn.clients[0]!)
    return reply
      .code(refusal === 'unreachable' ? errorCodes.SERVICE_UNAVAILABLE : errorCodes.FORBIDDEN)
      .headers({ ...failurePageHeaders, 'cache-control': noStore })
      .send(failurePage({ message: error.message, requestId: request.id, loginPath: again }))
  }

  const refuseOverLimit = (request: FastifyRequest, reply: FastifyReply): void => {
    const decision = limiter.lookAnonymous(request.ip)
    if (decision.isAllowed) return
    reply.headers(rateLimitHeaders(decision))
    throw overLimit(decision)
  }

  const begin = async (request: FastifyRequest, reply: FastifyReply, client: IssuerClient): Promise<FastifyReply> => {
    const { url, checks } = await client.begin(publicUrl + callbackPath)
    const begun: SealedLogin = { ...checks, startedAtMs: clock() }
    reply.header('set-cookie', await keepLogins([...loginsOf(request), begun]))
    return reply.headers({ 'cache-control': noStore, 'referrer-policy': 'no-referrer' }).redirect(url, 302)
  }

  app.get(loginPath, async (request, reply) => {
    refuseOverLimit(request, reply)
    const { issuer } = request.query as Query
    const client = issuer === undefined ? signIn.clients[0] : signIn.clientOf(issuer)
    if (!client) throw new AppError('no_route', 'Issuer not found. Sign in from GET /console/.')
    return begin(request, reply, client).catch((error) => fail(error, request, reply, client))
  })

  const complete = async (request: FastifyRequest, reply: FastifyReply, begun: SealedLogin, client: IssuerClient) => {
    const callbackUrl = new URL(publicUrl + callbackPath)
    callbackUrl.search = request.url.slice(request.url.indexOf('?'))
    // The tenant first, so that whatever is refused is in its audit log.
    await signIn.tenantIdOf(client)
    const signedIn = await client.complete(callbackUrl, begun)
    const browserSecret = randomBase62(32)
    const browser = { address: request.ip, browserSecret }
    const issued = await linkFor({ signIn, db, clock }, client, signedIn, browser)
    reply.header('set-cookie', link.set(browserSecret))
    return reply
      .headers({ 'cache-control': noStore, 'referrer-policy': 'no-referrer' })
      .redirect(`/console/#link=${issued}`, 302)
  }

  app.get(callbackPath, { config: { hidesQuery: true } }, async (request, reply) => {
    refuseOverLimit(request, reply)
    const { state } = request.query as Query
    const logins = loginsOf(request)
    const begun = logins.find((login) => login.state === state)
    const client = begun && signIn.clientOf(begun.issuer)
    try {
      if (!begun || !client) throw signInRefused('state')
      reply.header('set-cookie', await keepLogins(logins.filter((login) => login !== begun)))
      return await complete(request, reply, begun, client)
    } catch (error) {
      return fail(error, request, reply, client)
    }
  })
}
