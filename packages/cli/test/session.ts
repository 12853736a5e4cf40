import assert from 'node:assert/strict'
import type { User } from './wl.js'

const mark = '--- next ---'

const quoted = (line: string): string => `'${line.replaceAll("'", "'\\''")}'`

/** What is left on the screen: a line that is written over shows its last text. */
const onScreen = (text: string): string =>
  text
    .replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replaceAll(/^.*\r/gm, '')
    .trimEnd()

/** Runs shell lines one after another in one terminal; gives what each of them printed. */
export const runSession = async (user: User, lines: readonly string[], key: string): Promise<string[]> => {
  const script = lines.map((line) => `eval ${quoted(line)} && echo '${mark}'`).join(' && ')
  const { WORKLORE_URL: _url, WORKLORE_KEY: _key, ...env } = user.env
  const { code, stdout } = await user.terminal(`unset WORKLORE_URL WORKLORE_KEY; ${script}`, {
    columns: 100,
    env: { ...env, NO_COLOR: '1' },
    answers: [
      [/Address of the server.*: /, user.env.WORKLORE_URL!],
      [/API key \(not shown\): /, key],
    ],
  })
  assert.equal(code, 0, stdout)
  assert.ok(!stdout.includes(key), 'the key is shown')
  return stdout.split(`${mark}\n`).slice(0, -1).map(onScreen)
}

/** What differs from run to run, told alike. */
export const normalized = (text: string, user?: User): string =>
  (user
    ? text
        .replaceAll(user.env.WORKLORE_URL!, 'http://127.0.0.1:8787')
        .replaceAll(user.env.XDG_CONFIG_HOME!, '~/.config')
    : text
  )
    .replaceAll(/\b(key|prj)_\w{20}/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-01-31 09:00')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '09:00:00')
    .replaceAll(/\b\d\.\d\d\b/g, '0.50')
    .replaceAll(/\(\d+[smh]\)/g, '(29m)')
    .replaceAll(/in \d+[smhd]\b/g, 'in 59m')
    .replaceAll(/(per (?:minute|day|hour)) +\d+/g, '$1 9')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ $/gm, '')
