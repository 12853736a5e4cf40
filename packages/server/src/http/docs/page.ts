import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type StaticBytes, staticBytes } from '../console/static-bytes.js'
import { interceptRequest } from './requests.js'

const html = 'text/html; charset=utf-8'
const css = 'text/css; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

const files: Record<string, string> = {
  'swagger-ui.css': css,
  'index.css': css,
  'swagger-ui-bundle.js': script,
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
}

const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>Worklore</title>
<link rel="stylesheet" href="docs/static/swagger-ui.css">
<link rel="stylesheet" href="docs/static/index.css">
<link rel="icon" type="image/png" href="docs/static/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="docs/static/favicon-16x16.png" sizes="16x16">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/static/swagger-ui-bundle.js"></script>
<script src="docs/static/swagger-initializer.js"></script>
</body>
</html>
`

const initializer = `window.onload = () => {
  SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#swagger-ui',
    deepLinking: true,
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    validatorUrl: null,
    // The key is kept in memory only: a script of any page of this origin could read it from a storage.
    persistAuthorization: false,
    requestInterceptor: ${interceptRequest},
    tryItOutEnabled: true,
    docExpansion: 'list',
  })
}
`

/** Swagger UI, read into memory once: the page, and its files by name. */
export const readDocsPage = (): { page: StaticBytes; files: ReadonlyMap<string, StaticBytes> } => {
  const folder = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
  const read = new Map([['swagger-initializer.js', staticBytes(initializer, script)]])
  for (const [name, type] of Object.entries(files)) read.set(name, staticBytes(readFileSync(join(folder, name)), type))
  return { page: staticBytes(page, html), files: read }
}
