import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Document, typesOf } from './declarations.js'

/** Writes the client's types from the committed OpenAPI document. */
const packages = new URL('../../../', import.meta.url)
const document = JSON.parse(readFileSync(new URL('server/openapi.json', packages), 'utf8')) as Document
const target = fileURLToPath(new URL('client/src/types.gen.ts', packages))

writeFileSync(target, typesOf(document))
