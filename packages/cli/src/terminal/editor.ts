import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '../exit-codes.js'

/** A text on its way through the user's editor, in a file that only the user can read. */
export interface EditedText {
  text: string
  /** Where the text stays if it could not be saved. */
  file: string
  remove(): void
}

/** Opens a text in `$VISUAL` or `$EDITOR`, which may have arguments, and waits until it is closed. */
export const editText = async (name: string, text: string): Promise<EditedText> => {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi')
  const folder = mkdtempSync(join(tmpdir(), 'wl-edit-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  const { spawnSync } = await import('node:child_process')
  const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
  if (status !== 0) {
    remove()
    throw new CommandError(`The editor (${editor}) failed. Set EDITOR to another one.`)
  }
  return { text: readFileSync(file, 'utf8'), file, remove }
}

/** Saves what was edited; where that fails, the text is kept and the user told where. */
export const saveEdited = async <T>(edited: EditedText, save: () => Promise<T>): Promise<T> => {
  try {
    const saved = await save()
    edited.remove()
    return saved
  } catch (error) {
    process.stderr.write(`wl: your text is kept in ${edited.file}\n`)
    throw error
  }
}
