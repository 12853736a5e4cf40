import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { createAddressRule, type Verdict } from '../../base/address-ranges.js'
import { type ErrorDetail, invalid } from '../../base/errors.js'
import { createHostLookup } from './delivery/host-lookup.js'

declare module '../../operations/core.js' {
  interface Core {
    readonly targets: Targets
  }
}

/** Of a delivery, and of a request that creates or changes a webhook. */
const deliveryLookupMs = 5_000
const checkLookupMs = 1_000

/** Which addresses webhooks may be sent to: judged as written, as resolved, and once more as connected. */
export interface Targets {
  /** Undefined where a connection to this address may be used for the url. */
  problemOfAddress(url: URL, address: string): string | undefined
  /** The same for a url whose host is an address itself; undefined where it is a name. */
  literalProblem(url: URL): string | undefined
  /** The addresses of a url's host; throws where any of them may not be used. */
  resolve(url: URL): Promise<LookupAddress[]>
  /**
   * Throws VALIDATION_ERROR where the url is invalid or not allowed. A public name that does not resolve yet is allowed;
   * each delivery checks it again. Asks name servers, so it must not run inside a transaction.
   */
  check(url: string): Promise<void>
  /** The part of the check that asks nobody. */
  checkText(url: string): void
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

const localNames = /(^|\.)(localhost|local|internal|localdomain)\.?$/i

const insideText = 'resolves to an address that is not on the public internet'

const problemOf = (url: URL, verdict: Verdict): string | undefined => {
  if (verdict === 'allowed') return undefined
  if (verdict === 'refused') return insideText
  return url.protocol === 'https:' ? undefined : 'must start with https://'
}

const parse = (text: string): URL | ErrorDetail => {
  const refuse = (message: string) => ({ path: 'url', message })
  if (!URL.canParse(text)) return refuse('is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must start with https://')
  if (url.username !== '' || url.password !== '') return refuse('must not contain a user name or password')
  if (url.hash !== '') return refuse('must not contain a fragment')
  return url
}

export const createTargets = (allowedRanges: readonly string[]): Targets => {
  const lookUp = createHostLookup()
  const judge = createAddressRule(allowedRanges)
  const problemOfAddress = (url: URL, address: string) => problemOf(url, judge(address))

  const literalProblem = (url: URL) => (isIP(hostOf(url)) ? problemOfAddress(url, hostOf(url)) : undefined)

  const resolve = async (url: URL): Promise<LookupAddress[]> => {
    const addresses = await lookUp(hostOf(url), deliveryLookupMs)
    for (const { address } of addresses) {
      const problem = problemOfAddress(url, address)
      if (problem) throw new Error(`the url ${problem}`)
    }
    return addresses
  }

  const parseAllowed = (text: string): URL => {
    const url = parse(text)
    if (!(url instanceof URL)) throw invalid(url)
    const problem = literalProblem(url)
    if (problem) throw invalid({ path: 'url', message: problem })
    return url
  }

  const check = async (text: string): Promise<void> => {
    const url = parseAllowed(text)
    const host = hostOf(url)
    if (isIP(host)) return
    const addresses = await lookUp(host, checkLookupMs).catch(() => [])
    for (const { address } of addresses) {
      const problem = problemOfAddress(url, address)
      if (problem) throw invalid({ path: 'url', message: problem })
    }
    if (addresses.length > 0) return
    if (localNames.test(host) || !host.includes('.')) throw invalid({ path: 'url', message: insideText })
    if (url.protocol !== 'https:') throw invalid({ path: 'url', message: 'must start with https://' })
  }
  return { problemOfAddress, literalProblem, resolve, check, checkText: parseAllowed }
}
