import { promises as dns, type LookupAddress } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

interface HostLookupOptions {
  hostsFile?: string
  /** Name servers instead of the system's. */
  servers?: readonly string[]
}

/** The addresses of a host name, within a time; throws where there are none. */
type HostLookup = (host: string, timeoutMs: number) => Promise<LookupAddress[]>

const systemHostsFile =
  process.platform === 'win32' ? join(process.env.SystemRoot ?? '', 'System32/drivers/etc/hosts') : '/etc/hosts'

const addressOf = (address: string): LookupAddress => ({ address, family: isIP(address) })

const namesLoopback = /(^|\.)localhost$/
const loopback = ['127.0.0.1', '::1'].map(addressOf)

const inHostsFile = (text: string, host: string): LookupAddress[] =>
  text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) && names.includes(host) ? [addressOf(address)] : []
  })

/** The thread pool has four threads, which file system operations need too. */
const maxSystemLookups = 2
/** Further lookups would time out before their turn. */
const maxWaiting = 100

/**
 * Limits how many `dns.lookup` calls run at once, because each occupies a pool thread until the name server responds.
 */
const createSystemLookup = (): HostLookup => {
  const waiting = new Set<() => void>()
  let running = 0
  const beginNext = (): void => {
    const [begin] = waiting
    if (!begin || running >= maxSystemLookups) return
    waiting.delete(begin)
    running++
    begin()
  }
  return (host, timeoutMs) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= maxWaiting) return reject(noResponse(host))
      const begin = (): void => {
        dns
          .lookup(host, { all: true })
          .then(resolve, () => reject(notFound(host)))
          .finally(() => {
            clearTimeout(timer)
            running--
            beginNext()
          })
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(noResponse(host))
      }, timeoutMs)
      waiting.add(begin)
      beginNext()
    })
}

const notFound = (host: string): Error => new Error(`host ${host} not found`)
const noResponse = (host: string): Error => new Error(`no response from the name servers for ${host}`)

/**
 * Reads the hosts file, then asks the name servers, which occupies no thread. Names that they do not know, such as the
 * short name of a Kubernetes service, are looked up by the system, which adds the search domains.
 */
export const createHostLookup = ({ hostsFile = systemHostsFile, servers }: HostLookupOptions = {}): HostLookup => {
  const lookUpBySystem = createSystemLookup()
  const askNameServers = async (host: string, timeoutMs: number): Promise<LookupAddress[]> => {
    const endsAtMs = performance.now() + timeoutMs
    const resolver = new dns.Resolver({ timeout: Math.ceil(timeoutMs / 3), tries: 2 })
    if (servers) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), timeoutMs)
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    clearTimeout(timer)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.map(addressOf) : []))
    if (found.length > 0) return found
    const isUnknown = answers.some(
      (answer) => answer.status === 'rejected' && ['ENOTFOUND', 'ENODATA'].includes(answer.reason.code),
    )
    if (!isUnknown) throw noResponse(host)
    return lookUpBySystem(host, Math.max(0, endsAtMs - performance.now()))
  }

  return async (name, timeoutMs) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    const listed = inHostsFile(await readFile(hostsFile, 'utf8').catch(() => ''), host)
    if (listed.length > 0) return listed
    return namesLoopback.test(host) ? loopback : askNameServers(host, timeoutMs)
  }
}
