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

/**
 * Looks in the hosts file, then asks the name servers. `dns.lookup` would hold a thread of the pool that file system work
 * needs for as long as a name server is silent.
 */
export const createHostLookup = ({ hostsFile = systemHostsFile, servers }: HostLookupOptions = {}): HostLookup => {
  const askNameServers = async (host: string, timeoutMs: number): Promise<LookupAddress[]> => {
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
    throw new Error(isUnknown ? `host ${host} not found` : `no response from the name servers for ${host}`)
  }

  return async (name, timeoutMs) => {
    const host = name.toLowerCase().replace(/\.$/, '')
    const listed = inHostsFile(await readFile(hostsFile, 'utf8').catch(() => ''), host)
    if (listed.length > 0) return listed
    return namesLoopback.test(host) ? loopback : askNameServers(host, timeoutMs)
  }
}
