import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const isHidden = (name: string): boolean => name.startsWith('.') || name === 'node_modules'

/** Markdown files below a folder, by path; what is hidden, and links, are left out. */
export const markdownFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (isHidden(entry.name)) return []
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return markdownFiles(path)
      return entry.isFile() && /\.md$/i.test(entry.name) ? [path] : []
    })

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
