import { type Logger, pino } from 'pino'

const anySecret = /(wl_live_|whsec_)[0-9A-Za-z+/=]+/g

/** Structured lines on standard output. Whatever looks like a secret is blotted out, wherever in a line it stands. */
export const createLogger = (level: string, secrets: readonly (string | undefined)[] = []): Logger => {
  const known = secrets.filter((secret) => secret !== undefined)
  const blot = (line: string): string => {
    let clean = line.replace(anySecret, '$1[redacted]')
    for (const secret of known) clean = clean.replaceAll(secret, '[redacted]')
    return clean
  }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: blot } })
}
