import { relative, sep } from 'node:path'
import { readText } from '../../input.js'
import { markdownFiles } from '../files.js'
import { ownFields } from '../note-front-matter.js'
import { collect, emptySource, type Source } from '../records.js'

/**
 * A folder of Markdown notes. Each is kept as it is, front matter and [[links]] too; its path is its key. What the front
 * matter says is also set as fields.
 */
export const readMarkdown = (folder: string): Source => {
  const source = emptySource('markdown')
  for (const file of markdownFiles(folder)) {
    const key = relative(folder, file).replace(/\.md$/i, '').split(sep).join('/').normalize('NFC')
    collect(source, file, () => {
      const fields = ownFields(readText(file))
      source.notes.push({ place: file, key, fields, content: () => readText(file) })
    })
  }
  return source
}
