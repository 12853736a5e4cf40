import type { Comment } from 'worklore-client'
import type { IssueComment } from '../github/records.js'
import { digest } from './text.js'

/**
 * What the bridge writes to GitHub, and the copies of GitHub's comments, end with an HTML comment that says what they
 * are a copy of. It is written with the text, so that a copy whose record was not noted any more is found again.
 */
const issueMarker = /^<!-- worklore:([A-Z][A-Z0-9]{1,9}-\d+) -->$/
const copyMarker = /^<!-- (worklore|github):(\w+) ([0-9a-f]{16})( cut)? -->$/
const heading = /^\*\*[^\n]*\*\* on (?:\[GitHub\]\([^\n)]*\)|Worklore):\n\n/

/** The accounts and keys that the bridge writes with. A marker of anyone else is text like any other. */
export interface Writers {
  /** Of GitHub. */
  logins: string[]
  /** Ids of API keys. */
  keys: string[]
}

interface Authored {
  user: { login: string } | null
}

export const isWrittenThere = ({ user }: Authored, { logins }: Writers): boolean =>
  user !== null && logins.includes(user.login)

/** A marker has the last line for itself: where it is quoted, it is part of the text. */
const splitAtLastLine = (body: string): [text: string, lastLine: string] => {
  const trimmed = body.trimEnd()
  const start = trimmed.lastIndexOf('\n') + 1
  return [trimmed.slice(0, start).trimEnd(), trimmed.slice(start)]
}

/** The task that an issue was created for. */
export const taskOfIssueBody = (body: string | null): string | undefined =>
  issueMarker.exec(splitAtLastLine(body ?? '')[1])?.[1]

export const withoutIssueMarker = (body: string | null): string => {
  const [text, lastLine] = splitAtLastLine(body ?? '')
  return issueMarker.test(lastLine) ? text : (body ?? '')
}

export const withIssueMarker = (text: string, taskId: string): string => `${text}\n\n<!-- worklore:${taskId} -->`

/** A copy of a comment of the other side. */
export interface Copy {
  /** Of the original. */
  id: string
  text: string
  /** Digest of the text that both had when they were last in step. */
  digest: string
  /** It has only the start of the original. */
  isCut: boolean
}

/** What a copy shows of its original. */
export interface Shown {
  text: string
  isCut: boolean
}

const copyMarkerFor = (origin: string, { text, isCut }: Shown): string =>
  `<!-- ${origin} ${digest(text)}${isCut ? ' cut' : ''} -->`

const readCopy = (body: string, side: 'worklore' | 'github'): Copy | undefined => {
  const [text, lastLine] = splitAtLastLine(body)
  const [, origin, id, known, cut] = copyMarker.exec(lastLine) ?? []
  if (origin !== side) return undefined
  return { id: id!, text: text.replace(heading, ''), digest: known!, isCut: cut !== undefined }
}

/** The comment of GitHub that a comment of a task is a copy of. */
export const copyFromGitHub = (
  { body, createdBy }: Pick<Comment, 'body' | 'createdBy'>,
  { keys }: Writers,
): Copy | undefined => (keys.includes(createdBy.keyId) ? readCopy(body, 'github') : undefined)

/** The comment of a task that a comment of GitHub is a copy of. */
export const copyFromWorklore = (comment: IssueComment, writers: Writers): Copy | undefined =>
  isWrittenThere(comment, writers) ? readCopy(comment.body, 'worklore') : undefined

const plainName = (name: string): string => name.replaceAll(/[*[\]()<>@\s]+/g, ' ').trim() || 'someone'

export const bodyFromGitHub = (comment: IssueComment, shown: Shown): string =>
  `**${plainName(comment.user?.login ?? 'ghost')}** on [GitHub](${comment.html_url}):\n\n${shown.text}\n\n${copyMarkerFor(`github:${comment.id}`, shown)}`

export const bodyFromWorklore = (id: string, author: string, shown: Shown): string =>
  `**${plainName(author)}** on Worklore:\n\n${shown.text}\n\n${copyMarkerFor(`worklore:${id}`, shown)}`

/** The same copy with another text. */
export const withText = (body: string, shown: Shown): string => {
  const [, marker] = splitAtLastLine(body)
  const [head = ''] = heading.exec(body) ?? []
  const [, side, id] = copyMarker.exec(marker)!
  return `${head}${shown.text}\n\n${copyMarkerFor(`${side}:${id}`, shown)}`
}
