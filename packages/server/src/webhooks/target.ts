import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { type ErrorDetail, invalid } from '../errors.js'
import { createAddressRule, type Verdict } from './address.js'

const resolverSettings = { timeout: 2_000, tries: 2 }

/** Which addresses webhooks may be sent to: judged as written, as resolved, and once more as connected. */
export interface Targets {
  /** Undefined where a connection to this address may be used for the url. */
  problemOfAddress(url: URL, address: string): string | undefined
  /** The same for a url whose host is an address itself; undefined where it is a name. */
  literalProblem(url: URL): string | undefined
  /** The addresses of a url's host; throws where any of them may not be used. */
  resolve(url: URL): Promise<LookupAddress[]>
  /** Throws VALIDATION_ERROR where a url can be seen to be no good. A name that does not resolve yet is taken. */
  check(url: string): Promise<void>
}

const familyAddresses = (resolver: dns.Resolver, host: string, family: 4 | 6): Promise<LookupAddress[]> =>
  (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host)).then(
    (addresses) => addresses.map((address) => ({ address, family })),
    () => [],
  )

/** Asks the name servers without a thread each, so that a slow one holds up no other; then the system's own way. */
const lookUp = async (host: string): Promise<LookupAddress[]> => {
  const resolver = new dns.Resolver(resolverSettings)
  const found = (await Promise.all([familyAddresses(resolver, host, 4), familyAddresses(resolver, host, 6)])).flat()
  return found.length > 0 ? found : dns.lookup(host, { all: true })
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

const localNames = /(^|\.)(localhost|local|internal|localdomain)\.?$/i

const insideText = 'leads to an address that is not on the public internet'

const problemOf = (url: URL, verdict: Verdict): string | undefined => {
  if (verdict === 'allowed') return undefined
  if (verdict === 'refused') return insideText
  return url.protocol === 'https:' ? undefined : 'must begin with https://'
}

const parse = (text: string): URL | ErrorDetail => {
  const refuse = (message: string) => ({ path: 'url', message })
  if (!URL.canParse(text)) return refuse('is not a web address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must begin with https://')
  if (url.username !== '' || url.password !== '') return refuse('must not carry a user or a password')
  if (url.hash !== '') return refuse('must not have a fragment')
  return url
}

export const createTargets = (allowedRanges: readonly string[], createTimeoutMs = 1_000): Targets => {
  const judge = createAddressRule(allowedRanges)
  const problemOfAddress = (url: URL, address: string) => problemOf(url, judge(address))

  const literalProblem = (url: URL) => (isIP(hostOf(url)) ? problemOfAddress(url, hostOf(url)) : undefined)

  const resolve = async (url: URL): Promise<LookupAddress[]> => {
    const addresses = await lookUp(hostOf(url))
    for (const { address } of addresses) {
      const problem = problemOfAddress(url, address)
      if (problem) throw new Error(`the url ${problem}`)
    }
    return addresses
  }

  const check = async (text: string): Promise<void> => {
    const url = parse(text)
    if (!(url instanceof URL)) throw invalid(url)
    const host = hostOf(url)
    const patience = new Promise<LookupAddress[]>((done) => setTimeout(done, createTimeoutMs, []).unref())
    const literal = isIP(host) ? [{ address: host }] : await Promise.race([lookUp(host).catch(() => []), patience])
    for (const { address } of literal) {
      const problem = problemOfAddress(url, address)
      if (problem) throw invalid({ path: 'url', message: problem })
    }
    if (literal.length > 0) return
    if (localNames.test(host) || !host.includes('.')) throw invalid({ path: 'url', message: insideText })
    if (url.protocol !== 'https:') throw invalid({ path: 'url', message: 'must begin with https://' })
  }
  return { problemOfAddress, literalProblem, resolve, check }
}
