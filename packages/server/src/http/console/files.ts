import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../base/errors.js'
import { packageFolder } from '../../config.js'
import { type StaticBytes, sendStatic, staticBytes } from './static-bytes.js'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, packageFolder))

const isOwnPackage = (manifest: string): boolean =>
  existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'worklore-console'

/** Where the built web console is: in the published package, or next to this package in the repository. */
export const builtConsoleFolder = (): string | undefined => {
  const packed = pathOf('console')
  const built = pathOf('../console/dist/app')
  if (isOwnPackage(pathOf('../console/package.json'))) return existsSync(`${built}/index.html`) ? built : undefined
  return existsSync(`${packed}/index.html`) ? packed : undefined
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Their names change with their content. */
const hashedFolder = 'assets/'
const immutable = 'public, max-age=31536000, immutable'

/** No script or style but the service's own files, and no text becomes either. */
const headers = {
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Names the script of the worker that lexes Markdown, and nothing else.
    'trusted-types worklore-worker',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const notBuilt = (): AppError =>
  new AppError('no_route', 'The web console is not built. Run "npm run build", then restart the service.')

const readFiles = (folder: string): ReadonlyMap<string, StaticBytes> => {
  const files = new Map<string, StaticBytes>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1).replaceAll(sep, '/')
    files.set(name, staticBytes(readFileSync(path), type, name.startsWith(hashedFolder) ? immutable : undefined))
  }
  return files
}

/** Serves the built web console. Every address that is no file's is a page of the app, which finds its way itself. */
export const registerConsoleFiles = (app: FastifyInstance, folder: string | undefined): void => {
  const files = folder !== undefined && existsSync(folder) ? readFiles(folder) : undefined
  const index = files?.get('index.html')

  const serve = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    if (!files || !index) throw notBuilt()
    const name = request.params['*'] ?? ''
    const file = files.get(name) ?? (name.startsWith(hashedFolder) ? undefined : index)
    if (!file) throw new AppError('no_route', 'File not found. The web console is at GET /console/.')
    return sendStatic(request, reply.headers(headers), file)
  }

  app.get('/console', (_request, reply) => reply.redirect('/console/', 302))
  app.get('/console/', serve)
  app.get('/console/*', serve)
}
