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

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text that others wrote must not move the cursor or change the title of a terminal; line feeds and tabs may stay. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(controls, '\ufffd')

/** The same on one line. */
export const oneLine = (text: string): string => printable(text.replaceAll(/[\t\n\r]+/g, ' '))
