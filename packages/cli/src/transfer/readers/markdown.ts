import { relative, sep } from 'node:path'
import { readText } from '../../input.js'
import { markdownFiles } from '../files.js'
import { emptySource, type Source } from '../records.js'

/** A folder of Markdown notes. Each is kept as it is, front matter and [[links]] too; its path is its key. */
export const readMarkdown = (folder: string): Source => {
  const source = emptySource('markdown')
  for (const file of markdownFiles(folder)) {
    const key = relative(folder, file).replace(/\.md$/i, '').split(sep).join('/').normalize('NFC')
    source.notes.push({ place: file, key, content: () => readText(file) })
  }
  return source
}
