/** What a text refers to: an item by a key, or a task by its id. */
export interface Link {
  kind: 'item' | 'task'
  /** A key as it was written, without folder and ending where the text says so; or the id of a task. */
  target: string
}

export const maxLinks = 200
const maxTargetLength = 512

const anyLink = /\[\[|\]\(|\b[A-Z][A-Z0-9]{1,9}-[1-9]/

/** A wiki link with its heading and its label, a Markdown link with its title, or the id of a task. */
const link =
  /\[\[(?! )([^[\]|#\n]+)(?:#[^[\]|\n]*)?(?:\|[^[\]\n]*)?\]\]|\]\((?:<([^<>\n]+)>|([^\s()<>]+))(?:\s+"[^"\n]*")?\)|(?<![\w/-])([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,14})(?![\w-])/g

const isAddress = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** The key that a path beginning with `./` or `../` leads to from an item; undefined where it leads out of all folders. */
const fromFolder = (key: string, path: string): string | undefined => {
  const segments = folderOf(key).split('/').slice(0, -1)
  for (const segment of path.split('/')) {
    if (segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}

const keyTarget = (key: string, written: string): string | undefined => {
  const path = written.trim().replace(/^\/+/, '').replace(/\.md$/i, '')
  const target = /^\.\.?\//.test(path) ? fromFolder(key, path) : path
  return target === '' || target === undefined || target.length > maxTargetLength ? undefined : target
}

const markdownTarget = (key: string, written: string): string | undefined =>
  isAddress.test(written) ? undefined : keyTarget(key, decoded(written.replace(/[?#].*$/, '')))

/** The links of an item's content, each once, in their order. The content is a JSON string literal. */
export const linksIn = (key: string, content: string): Link[] => {
  if (!anyLink.test(content)) return []
  const found = new Map<string, Link>()
  for (const [, wiki, bracketed, plain, task] of (JSON.parse(content) as string).matchAll(link)) {
    const target = task ?? (wiki === undefined ? markdownTarget(key, (bracketed ?? plain)!) : keyTarget(key, wiki))
    if (target === undefined) continue
    const kind = task === undefined ? 'item' : 'task'
    found.set(`${kind} ${target}`, { kind, target })
    if (found.size === maxLinks) break
  }
  return [...found.values()]
}

/** The keys that a target may mean in the place of an item: itself, or one in the item's folder. */
export const candidatesOf = (key: string, target: string): string[] => {
  const folder = folderOf(key)
  return folder === '' ? [target] : [target, `${folder}${target}`]
}
