import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Where the result is printed. */
export interface Screen {
  isTerminal: boolean
  columns: number
  /** Colours a text, where colours are wanted. */
  paint(style: Style, text: string): string
}

const defaultColumns = 80

/** `NO_COLOR` and `FORCE_COLOR` as other programs read them. */
const wantsColor = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean => {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

export const screenOf = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen => {
  const isColored = wantsColor(stream, env)
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns || defaultColumns,
    paint: (style, text) => (isColored && text !== '' ? styleText(style, text) : text),
  }
}

/**
 * Control characters but for line feeds and tabs, and those that are not seen but change what is: the order of other
 * characters, where a line ends, or hidden letters.
 */
const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
const color = /(\u001b\[[0-9;]*m)/

/** Text that others wrote must not move the cursor, change the title of a terminal or turn the order of a line. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(unsafe, '\ufffd')

/** The same on one line. */
export const oneLine = (text: string): string => printable(text.replaceAll(/[\t\n\r]+/g, ' '))

/** The last look at what is printed: nothing unsafe but the colours. */
export const forScreen = (text: string): string =>
  text
    .split(color)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('')

/** JSON of the same value, without the characters that it may contain and a terminal may not. */
export const safeJson = (json: string): string =>
  json.replaceAll(unsafe, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const code = character.charCodeAt(at).toString(16).padStart(4, '0')
      return `\\u${code}`
    }).join(''),
  )
