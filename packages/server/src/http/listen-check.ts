import { type AddressInfo, createServer } from 'node:net'
import type { Config } from '../config.js'

type Address = Pick<Config, 'host' | 'port'>

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is already in use. Stop the process that uses it, or set PORT to another one',
  EADDRNOTAVAIL: 'this machine does not have that address. Set HOST to one of its addresses, or to 0.0.0.0 for all',
  ENOTFOUND: 'the name is unknown. Set HOST to an address of this machine, or to 0.0.0.0 for all',
  EACCES: 'permission denied. Ports below 1024 often need privileges; set PORT to a higher one',
}

/** Says which address cannot be listened on, and why. */
export const listenError = ({ host, port }: Address, error: unknown): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Error(`Cannot listen on ${host}, port ${port}: ${reasons[code] ?? message}.`, { cause: error })
}

/** Throws where the service could not listen on its address; answers its port, which was free where any would do. */
export const expectBindable = ({ host, port }: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => reject(listenError({ host, port }, error)))
    probe.listen({ host, port }, () => {
      const { port: bound } = probe.address() as AddressInfo
      probe.close(() => resolve(bound))
    })
  })
