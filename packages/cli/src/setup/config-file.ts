import { isDeepStrictEqual } from 'node:util'
import { type ClientConfig, type Connection, entryOf, serverName } from 'worklore-client/setup'
import { CommandError } from '../exit-codes.js'
import { editJson, parseJson } from './json-text.js'
import { editToml, parseToml } from './toml-text.js'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (config: ClientConfig, text: string, file: string): Fields => {
  let value: unknown
  try {
    value = config.format === 'json' ? parseJson(text) : parseToml(text)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}. Correct it, or use --print.`)
  }
  if (!isFields(value) || !(value[config.section] === undefined || isFields(value[config.section]))) {
    throw new CommandError(`${file} has another form than expected. Correct it, or use --print.`)
  }
  return value
}

const serversOf = (config: ClientConfig, all: Fields): Fields => (all[config.section] ?? {}) as Fields

/** All that a file has besides the entry. */
const others = (config: ClientConfig, all: Fields): unknown => {
  const { [config.section]: _, ...rest } = all
  const { [serverName]: _entry, ...servers } = serversOf(config, all)
  return { ...rest, servers }
}

/** The entry with what its user has added, unless it starts a command instead. Other ways to say the same are replaced. */
const mergedEntry = (config: ClientConfig, known: unknown, connection: Connection): Fields => {
  const entry = entryOf(config, connection)
  if (!isFields(known) || 'command' in known) return entry
  const { type: _type, url: _url, httpUrl: _httpUrl, bearer_token_env_var: _variable, ...kept } = known
  const headers = isFields(known[config.headersField]) ? known[config.headersField] : {}
  return {
    ...kept,
    ...entry,
    [config.headersField]: { ...(headers as Fields), ...(entry[config.headersField] as Fields) },
  }
}

/** The file with this entry, or without any; as it is where that is so already. */
export const withEntry = (
  config: ClientConfig,
  text: string,
  file: string,
  connection: Connection | undefined,
): string => {
  const before = parsed(config, text, file)
  const known = serversOf(config, before)[serverName]
  const wanted = connection && mergedEntry(config, known, connection)
  if (isDeepStrictEqual(known, wanted)) return text
  const edit = config.format === 'json' ? editJson : editToml
  const next = edit(text, [config.section, serverName], known, wanted)
  const after = parsed(config, next, file)
  const isAsWanted = isDeepStrictEqual(serversOf(config, after)[serverName], wanted)
  if (!isAsWanted || !isDeepStrictEqual(others(config, after), others(config, before))) {
    throw new CommandError(`${file} cannot be changed without risk. Use --print, and change it by hand.`)
  }
  return next
}

/** The key with which a file connects to the same service. */
export const knownKey = (config: ClientConfig, text: string, file: string, url: string): string | undefined => {
  const entry = serversOf(config, parsed(config, text, file))[serverName]
  if (!isFields(entry) || entry[config.urlField] !== url) return undefined
  const authorization = (entry[config.headersField] as Fields | undefined)?.Authorization
  return typeof authorization === 'string' ? /^Bearer (\S+)$/.exec(authorization)?.[1] : undefined
}
