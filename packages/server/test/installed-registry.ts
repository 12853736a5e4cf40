import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'

interface LockedPackage {
  version: string
  dev?: boolean
  link?: boolean
}

type Manifest = Record<string, unknown> & { name: string; version: string }

/** A registry of what is installed here, so that npm can install it elsewhere without the internet. */
export const startInstalledRegistry = async (root: string) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  /** By name and version, where each is. */
  const folders = new Map<string, Map<string, string>>()
  for (const [path, { version, dev, link }] of Object.entries(packages)) {
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (name === undefined || dev || link) continue
    folders.set(name, (folders.get(name) ?? new Map()).set(version, join(root, path)))
  }

  const manifestIn = (folder: string): Manifest | undefined => {
    try {
      return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    } catch {
      // For another platform.
      return undefined
    }
  }

  const server = createServer((request, response) => {
    const [, name, version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(decodeURIComponent(request.url!)) ?? []
    const versions = folders.get(name ?? '')
    if (!versions) return void response.writeHead(404).end('{}')
    if (version !== undefined) {
      const folder = versions.get(version)!
      const own = basename(folder)
      const words = ['-C', dirname(folder), `--exclude=${own}/node_modules`, '-cf', '-', own]
      return void spawn('tar', words, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response)
    }
    const known = [...versions].flatMap(([each, folder]) => {
      const manifest = manifestIn(folder)
      const tarball = `${url}/${name}/-/${each}.tgz`
      return manifest ? [[each, { ...manifest, dist: { tarball } }] as const] : []
    })
    const latest = known.at(-1)?.[0]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(known) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, stop: () => server.close() }
}
