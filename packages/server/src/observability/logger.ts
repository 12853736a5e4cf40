import { type DestinationStream, type Logger, pino } from 'pino'
import { readableLine } from './readable-log.js'

const anySecret = /(wl_live_|wl_link_|whsec_)[0-9A-Za-z_+/=]+/g
/** A signed token: a header, claims and a signature. */
const anyToken = /\beyJ[\w-]{8,}\.eyJ[\w-]*\.[\w-]*/g

/** Of printable characters, without those that would end a JSON string. */
const percentEncoded = /%(2[13-9a-f]|[346][0-9a-f]|5[0-9abdef]|7[0-9a-e])/gi
/** An escape may be escaped again, and again. */
const maxEncodings = 4

const decoded = (line: string): string => {
  let text = line
  for (let round = 0; round < maxEncodings && text.includes('%'); round++) {
    text = text.replace(percentEncoded, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return text
}

/** Redacts whatever looks like a secret, and the secrets given, wherever in a line they stand and however encoded. */
export const createRedaction = (secrets: readonly (string | undefined)[]) => {
  const known = secrets.flatMap((secret) => (secret === undefined ? [] : [secret, decoded(secret)]))
  const redact = (line: string): string => {
    let clean = line.replace(anySecret, '$1[redacted]').replace(anyToken, '[redacted]')
    for (const secret of known) clean = clean.replaceAll(secret, '[redacted]')
    return clean
  }
  return (line: string): string => {
    if (!line.includes('%')) return redact(line)
    const plain = decoded(line)
    const clean = redact(plain)
    return clean === plain ? redact(line) : clean
  }
}

export const standardError = (): DestinationStream => {
  const output = pino.destination({ fd: 2, sync: true })
  return process.stderr.isTTY ? { write: (line) => output.write(readableLine(line)) } : output
}

/** Logs on standard error, without secrets: JSON lines, or readable ones on a terminal. */
export const createLogger = (
  level: string,
  secrets: readonly (string | undefined)[] = [],
  output: DestinationStream = standardError(),
): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: createRedaction(secrets) },
    },
    output,
  )
