import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createHostLookup } from './delivery/host-lookup.js'

interface NameServer {
  address: string
  close(): Promise<void>
}

/**
 * A name server that knows one IPv4 address for every name with a dot and no other names. It never responds for names
 * that contain "silent".
 */
const startNameServer = async (): Promise<NameServer> => {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    if (query.includes('silent')) return
    const isAddressQuery = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const isShort = query[12]! + 13 === query.indexOf(0, 12)
    const hasAnswer = isAddressQuery && !isShort
    const header = Buffer.from([
      query[0]!,
      query[1]!,
      0x81,
      isShort ? 0x83 : 0x80,
      0,
      1,
      0,
      hasAnswer ? 1 : 0,
      0,
      0,
      0,
      0,
    ])
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7])
    socket.send(Buffer.concat([header, question, ...(hasAnswer ? [record] : [])]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

describe('the lookup of a host name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-test-'))
  const hostsFile = join(folder, 'hosts')
  let server: NameServer
  before(async () => {
    server = await startNameServer()
    writeFileSync(hostsFile, '# known here\n10.0.0.5\tReceiver.lan receiver # alias\n::1 receiver.lan\nnonsense\n')
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  const lookUp = (host: string, timeoutMs = 60_000) =>
    createHostLookup({ hostsFile, servers: [server.address] })(host, timeoutMs)
  const addresses = async (host: string) => (await lookUp(host)).map(({ address }) => address)

  it('finds names of the hosts file, whatever their case', async () => {
    assert.deepEqual(await addresses('receiver.LAN.'), ['10.0.0.5', '::1'])
    assert.deepEqual(await addresses('receiver'), ['10.0.0.5'])
  })

  it('asks the name servers for others', async () => {
    assert.deepEqual(await lookUp('hooks.example.com'), [{ address: '203.0.113.7', family: 4 }])
  })

  it('asks the system for names that the name servers do not know, as short ones in a search domain', async (test) => {
    const name = hostname().toLowerCase()
    const known = await lookup(name, { all: true }).catch(() => undefined)
    if (!known || name.includes('.')) return test.skip('the system does not know its own short name')
    assert.deepEqual(await lookUp(name), known)
    await assert.rejects(lookUp('nowhere-at-all'), /nowhere-at-all not found/)
  })

  it('knows localhost without either', async () => {
    for (const host of ['localhost', 'api.localhost']) assert.deepEqual(await addresses(host), ['127.0.0.1', '::1'])
  })

  it('ends in time where a name server is silent, and holds up no file system work', async () => {
    const done: string[] = []
    const lookups = Array.from({ length: 32 }, (_, i) => lookUp(`silent-${i}.example.com`, 3_000))
    const outcomes = Promise.allSettled(lookups).finally(() => done.push('looked up'))
    await readFile(hostsFile)
    done.push('read')
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'))
    assert.deepEqual(done, ['read', 'looked up'])
    await assert.rejects(lookUp('silent.example.com', 200), /no response from the name servers for silent.example.com/)
  })
})
