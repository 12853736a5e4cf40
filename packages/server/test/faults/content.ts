import { createHash } from 'node:crypto'

/** Everything that is written follows from a token and a revision, so that what is read can be checked in full. */
export interface Mark {
  token: string
  revision: number
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** One word for any search engine. */
export const newToken = (): string => Array.from({ length: 14 }, () => letters[Math.floor(Math.random() * 26)]).join('')

const filler = ({ token, revision }: Mark): string => {
  const hash = createHash('sha256').update(`${token} ${revision}`).digest('hex')
  return hash.repeat(1 + (revision % 5) * 4)
}

const marked = /^(?:Task|Note) ([a-z]{14}) revision (\d+)/

export const markOf = (text: string): Mark | undefined => {
  const [, token, revision] = marked.exec(text) ?? []
  return token === undefined ? undefined : { token, revision: Number(revision) }
}

const statuses = ['todo', 'in_progress', 'in_review', 'done', 'cancelled']
const priorities = ['low', 'medium', 'high', 'urgent']

export const taskFields = (mark: Mark) => ({
  title: `Task ${mark.token} revision ${mark.revision}`,
  description: filler(mark),
  status: statuses[mark.revision % statuses.length]!,
  priority: priorities[mark.revision % priorities.length]!,
  labels: Array.from({ length: mark.revision % 4 }, (_, at) => `label-${mark.revision}-${at}`),
})

export const noteContent = (mark: Mark): string => `Note ${mark.token} revision ${mark.revision}\n${filler(mark)}`
export const noteKey = (token: string): string => `faults/${token}`
