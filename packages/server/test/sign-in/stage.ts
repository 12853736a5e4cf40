import type { KeyObject } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { sameOrigin, trade } from 'worklore-testing/console-session'
import { type Engine, engines } from 'worklore-testing/engines'
import { type Answer, type HarnessOptions, send, startService, type TestService } from 'worklore-testing/harness'
import { freePort, startProvider, type TestProvider } from 'worklore-testing/oidc-provider'
import { issuerOf, type OidcIssuer } from '../../src/base/oidc-settings.js'

/** A service and a provider whose users may sign in to it. */
export interface SignInStage {
  wl: TestService
  provider: TestProvider
}

interface StageOptions {
  issuer?: Partial<OidcIssuer>
  provider?: Partial<Parameters<typeof startProvider>[0]>
  harness?: HarnessOptions
}

export const startStage = async (engine: Engine, options: StageOptions = {}): Promise<SignInStage> => {
  const port = await freePort()
  const serviceUrl = `http://127.0.0.1:${port}`
  const provider = await startProvider({ serviceUrl, ...options.provider })
  const { issuer, clientId, clientSecret } = provider
  const settings = issuerOf({ issuer, clientId, clientSecret, domains: ['example.com'], ...options.issuer })
  const config = { port, publicUrl: serviceUrl, oidcIssuers: [settings], ...options.harness?.config }
  const wl = await startService(engine, { ...options.harness, config })
  return { wl, provider }
}

export const describeSignIn = (
  subject: string,
  tests: (stage: SignInStage, engine: Engine) => void,
  options: StageOptions = {},
): void => {
  for (const engine of engines) {
    describe(`${subject} on ${engine.name}`, () => {
      const stage = {} as SignInStage
      before(async () => {
        Object.assign(stage, await startStage(engine, options))
      })
      after(async () => {
        await stage.wl.stop()
        await stage.provider.stop()
      })
      tests(stage, engine)
    })
  }
}

/** Keeps cookies by host, port and name, and follows no redirect by itself. */
interface CookieBrowser {
  cookies: Map<string, string>
  get(url: string): Promise<Answer & { location: string }>
  /** Follows redirects until there is none, or one to the given path. */
  follow(url: string, until?: RegExp): Promise<Answer & { location: string; url: string }>
  /** The header with the cookies of the service. */
  cookieHeader(url: string): string
}

const maxRedirects = 12

export const createBrowser = (): CookieBrowser => {
  const cookies = new Map<string, string>()
  const cookieHeader = (url: string): string => {
    const { host } = new URL(url)
    return [...cookies]
      .filter(([name]) => name.startsWith(`${host} `))
      .map(([name, value]) => `${name.slice(host.length + 1)}=${value}`)
      .join('; ')
  }
  const keep = (url: string, answer: Answer): void => {
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split('; ')
      const at = pair.indexOf('=')
      const name = `${new URL(url).host} ${pair.slice(0, at)}`
      const isGone = attributes.some((text) => /^max-age=0$/i.test(text) || /^expires=thu, 01 jan 1970/i.test(text))
      if (isGone) cookies.delete(name)
      else cookies.set(name, pair.slice(at + 1))
    }
  }
  const get: CookieBrowser['get'] = async (url) => {
    const { origin, pathname, search } = new URL(url)
    const answer = await send(origin, 'GET', pathname + search, { headers: { cookie: cookieHeader(url) } })
    keep(url, answer)
    const { location } = answer.headers
    return { ...answer, location: location === undefined ? '' : new URL(location, url).href }
  }
  return {
    cookies,
    get,
    cookieHeader,
    follow: async (url, until = /$^/) => {
      let [answer, at] = [await get(url), url]
      for (let count = 0; count < maxRedirects && answer.location !== '' && !until.test(answer.location); count++) {
        at = answer.location
        answer = await get(at)
      }
      return { ...answer, url: at }
    },
  }
}

const backToService = /\/console\/(#link=|oidc\/callback)/
const linkIn = /#link=(wl_link_\w+)$/

/** Signs an account in at the provider; answers the address that leads back, which was not opened yet. */
export const signInAt = async (
  { wl, provider }: SignInStage,
  account: string,
  browser = createBrowser(),
): Promise<{ callback: string; browser: CookieBrowser }> => {
  provider.current = account
  for (const name of browser.cookies.keys()) {
    if (name.startsWith(`${new URL(provider.issuer).host} `)) browser.cookies.delete(name)
  }
  const answer = await browser.follow(`${wl.baseUrl}/console/oidc/login`, backToService)
  return { callback: answer.location, browser }
}

/** The whole way of a browser up to its answer of the callback. */
export const attempt = async (stage: SignInStage, account: string, browser = createBrowser()) => {
  const { callback } = await signInAt(stage, account, browser)
  const answer = await browser.get(callback)
  return { answer, browser, link: linkIn.exec(answer.location)?.[1], callback }
}

/** What a page sends to open a session with a link. */
export const openWith = ({ wl }: SignInStage, link: string, browser: CookieBrowser): Promise<Answer> =>
  trade(wl, { link }, { ...sameOrigin, cookie: browser.cookieHeader(wl.baseUrl) })

/** Requests of the console's page after an account has signed in. */
export const signedIn = async (stage: SignInStage, account: string) => {
  const { link, browser, answer } = await attempt(stage, account)
  if (link === undefined) throw new Error(`not signed in: ${answer.status} ${answer.text}`)
  const opened = await openWith(stage, link, browser)
  if (opened.status !== 201) throw new Error(`no session: ${opened.status} ${opened.text}`)
  const cookie = opened.headers['set-cookie']![0]!.split(';', 1)[0]!
  const headers = { ...sameOrigin, cookie, 'worklore-session': opened.body.data.secret as string }
  return {
    session: opened.body.data as { id: string; keyId: string; userId: string },
    browser,
    get: (path: string) => stage.wl.get(path, { key: null, headers }),
    request: (method: string, path: string, body?: unknown) =>
      stage.wl.request(method, path, { key: null, headers, body }),
  }
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1_000)

/** Claims and header of a token where they are not the right ones, and who signs it; undefined takes a claim away. */
export type SignedChange = [claims?: Record<string, unknown>, header?: Record<string, unknown>, key?: KeyObject]

/** An access token, as the issuer signs them but for what a test changes. */
export const signToken = ({ wl, provider }: SignInStage, ...[change, header, key]: SignedChange): Promise<string> => {
  const times = { iat: nowSeconds(), exp: nowSeconds() + 600 }
  const all = { iss: provider.issuer, aud: wl.baseUrl, sub: 'ada', ...times, ...change }
  const claims = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JWTPayload
  const signing = provider.signingKey()
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: signing.kid, typ: 'at+jwt', ...header })
    .sign(key ?? signing.key)
}
