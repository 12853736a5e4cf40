import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Document, typesOf } from './declarations.js'
import { valuesOf } from './values.js'

/** Writes the client's types and values from the committed OpenAPI document. */
const packages = new URL('../../../', import.meta.url)
const document = JSON.parse(readFileSync(new URL('server/openapi.json', packages), 'utf8')) as Document
const pathOf = (name: string): string => fileURLToPath(new URL(`client/src/${name}`, packages))

writeFileSync(pathOf('types.gen.ts'), typesOf(document))
writeFileSync(pathOf('values.gen.ts'), valuesOf(document))
