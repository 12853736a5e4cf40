import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { formats } from '../choices.js'
import { CommandError, usageError } from '../exit-codes.js'
import { contentOf } from '../input.js'
import { didYouMean } from '../nearest-name.js'
import { isFile, isFolder } from './files.js'
import { numberedLines, parseLine } from './json-lines.js'
import { folderFiles } from './layout.js'
import { readBacklog } from './readers/backlog.js'
import { readBeads } from './readers/beads.js'
import { readGithub } from './readers/github.js'
import { formatOfCsv, readIssueCsv } from './readers/issue-csv.js'
import { readMarkdown } from './readers/markdown.js'
import { readWorkloreFile, readWorkloreFolder } from './readers/worklore.js'
import type { Source } from './records.js'

type Format = (typeof formats)[number]

const backlogFolder = (path: string): string | undefined =>
  [path, join(path, 'backlog'), join(path, '.backlog')].find(
    (folder) =>
      isFolder(join(folder, 'tasks')) && (isFile(join(folder, 'config.yml')) || basename(folder).endsWith('backlog')),
  )

/** Beads keeps its issues in one file and other things, such as what was deleted, in others. */
const beadsFiles = (path: string): string[] => {
  const folder = isFolder(join(path, '.beads')) ? join(path, '.beads') : path
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.jsonl') && !/deletions|interactions|routes/.test(name),
  )
  const main = files.find((name) => name === 'issues.jsonl') ?? files.find((name) => name === 'beads.jsonl')
  return (main ? [main] : files).map((name) => join(folder, name))
}

const formatOfFolder = (path: string): Format => {
  if (isFile(join(path, folderFiles.header))) return 'worklore'
  if (basename(path) === '.beads' || isFolder(join(path, '.beads'))) return 'beads'
  return backlogFolder(path) ? 'backlog' : 'markdown'
}

const formatOfLines = async (file: string): Promise<Format> => {
  for await (const { text } of numberedLines(file)) {
    try {
      const record = parseLine(text) as { kind?: unknown } | null
      return record?.kind === undefined ? 'beads' : 'worklore'
    } catch {
      // A later line may tell.
    }
  }
  throw new CommandError(`${file} has no JSON lines.`)
}

type Read = (path: string) => Source | Promise<Source>

const folderReaders: Partial<Record<Format, Read>> = {
  worklore: readWorkloreFolder,
  beads: (path) => readBeads(beadsFiles(path)),
  backlog: (path) => readBacklog(backlogFolder(path) ?? path),
  markdown: readMarkdown,
}

const fileReaders: Partial<Record<Format, Read>> = {
  worklore: readWorkloreFile,
  beads: (path) => readBeads([path]),
  github: async (path) => readGithub(path, await contentOf(path)),
  linear: async (path) => readIssueCsv('linear', path, await contentOf(path)),
  plane: async (path) => readIssueCsv('plane', path, await contentOf(path)),
}

const formatOfFile = async (path: string): Promise<Format> => {
  if (path === '-') throw usageError('Name the format of standard input with --from.')
  if (/\.jsonl$/i.test(path)) return formatOfLines(path)
  if (/\.json$/i.test(path)) return 'github'
  if (/\.csv$/i.test(path)) return formatOfCsv(await contentOf(path))
  throw usageError(`Cannot tell the format of ${path}. Name it with --from: ${formats.join(', ')}.`)
}

const checkedFormat = (name: string): Format => {
  if (formats.includes(name as Format)) return name as Format
  throw usageError(`Unknown format "${name}".${didYouMean(name, formats) || ` Use one of ${formats.join(', ')}.`}`)
}

/** Reads a file or a folder of any format that is known. */
export const readSource = async (path: string, from: string | undefined): Promise<Source> => {
  const named = from && checkedFormat(from)
  if (path !== '-') statSync(path)
  const [kind, readers, formatOf, other] = isFolder(path)
    ? (['folder', folderReaders, formatOfFolder, 'file'] as const)
    : (['file', fileReaders, formatOfFile, 'folder'] as const)
  const format = named || (await formatOf(path))
  const read = readers[format]
  if (!read) throw usageError(`${path} is a ${kind}; ${format} is read from a ${other}.`)
  return read(path)
}
