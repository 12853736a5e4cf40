import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loading } from './costs.js'
import { readLastStatements, readLastTimes } from './last-run.js'
import { coveringFiles } from './statement-cover.js'
import { isOnBothAnyway, postgresFilesPath } from './test-files.js'

/** Writes the list of files that `npm test` runs on PostgreSQL to cover all statements. Run it after the whole suite. */
const packages = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const builtFile = (file: string): string =>
  join(packages, file.replace(/^packages\/([^/]+)\/(.*)\.ts$/, '$1/dist/$2.js'))
const files = coveringFiles(
  readLastStatements(),
  (file) => file === loading || isOnBothAnyway(builtFile(file)),
  readLastTimes(),
)
writeFileSync(
  postgresFilesPath(packages),
  `${JSON.stringify(
    files.map((file) => file.slice('packages/'.length)),
    null,
    2,
  )}\n`,
)
console.log(`${files.length} files run every statement on PostgreSQL.`)
