import { levels } from 'pino'

interface LogEntry {
  level: number
  time: string
  msg?: string
  err?: { message?: string; stack?: string }
  [field: string]: unknown
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Control characters of what a caller sent must not reach a terminal. */
const printable = (text: string): string => text.replaceAll(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '�')

/** A JSON line of the log as one for a terminal: time, level, message, fields, and the stack of an error below. */
export const readableLine = (line: string): string => {
  let entry: LogEntry
  try {
    entry = JSON.parse(line) as LogEntry
  } catch {
    return line
  }
  const { level, time, msg = '', err, ...fields } = entry
  const name = (levels.labels[level] ?? String(level)).toUpperCase().padEnd(5)
  const rest = Object.entries(fields).map(([field, value]) => ` ${field}=${valueText(value)}`)
  const trouble = err ? `\n${err.stack ?? err.message ?? JSON.stringify(err)}` : ''
  return `${printable(`${time.slice(11, 19)} ${name} ${msg}${rest.join('')}${trouble}`)}\n`
}
