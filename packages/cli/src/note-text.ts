import type { KnowledgeItem, KnowledgeKey } from 'worklore-client'
import type { Answer } from './command.js'
import { oneLine, printable, type Screen } from './terminal/screen.js'
import { type Cell, fieldLines } from './terminal/table.js'
import { localTime } from './times.js'

type Style = Parameters<Screen['paint']>[0]

const stateStyles: Record<KnowledgeKey['state'], Style | undefined> = {
  current: undefined,
  expired: 'gray',
  superseded: 'gray',
  retracted: 'red',
}

const trustStyles: Record<KnowledgeKey['trust'], Style | undefined> = {
  unreviewed: undefined,
  verified: 'green',
  disputed: 'yellow',
}

/** State and trust in one cell: `current`, `current, verified`, `superseded, stale`. */
export const stateCell = ({ state, trust, stale }: KnowledgeKey): Cell => ({
  text: [state, trust !== 'unreviewed' && trust, stale.length > 0 && 'stale'].filter(Boolean).join(', '),
  style: stateStyles[state] ?? trustStyles[trust],
})

/** What has become of a note; empty for a current one. */
export const outdatedText = ({ state, supersededBy, retraction, validUntil }: KnowledgeKey): string => {
  if (state === 'retracted') return `retracted: ${retraction!.reason}`
  if (state === 'superseded') return `superseded by ${supersededBy}`
  return state === 'expired' ? `expired on ${localTime(validUntil!)}` : ''
}

const verdictText = ({ trust, verdict }: KnowledgeItem): string => {
  if (!verdict) return trust
  const by = `${trust} by ${verdict.by.keyName}, ${localTime(verdict.at)}`
  return verdict.note === null ? by : `${by}: ${verdict.note}`
}

const retractionText = ({ retraction }: KnowledgeItem): string =>
  retraction ? `${localTime(retraction.at)} by ${retraction.by.keyName}` : ''

const fieldsOf = (item: KnowledgeItem, project: string): [name: string, value: string][] => {
  const all: [string, string][] = [
    ['project', project],
    ['state', outdatedText(item) || item.state],
    ['retracted', retractionText(item)],
    ['trust', verdictText(item)],
    ['stale', item.stale.map(({ key, why }) => `${key} (${why})`).join(', ')],
    ['tags', item.tags.join(', ')],
    ['source', item.source ?? ''],
    ['valid until', item.validUntil ? localTime(item.validUntil) : ''],
    ['supersedes', item.supersedes.join(', ')],
    ['metadata', Object.keys(item.metadata).length > 0 ? JSON.stringify(item.metadata) : ''],
    ['created', `${localTime(item.createdAt)} by ${item.createdBy.keyName}`],
    ['updated', `${localTime(item.updatedAt)} by ${item.updatedBy.keyName} (version ${item.version})`],
  ]
  return all.filter(([, value]) => value !== '')
}

/** All of a note. */
export const wholeNote = (item: KnowledgeItem, project: string): Answer => ({
  body: { data: item },
  ids: [item.key],
  text: (screen) =>
    [
      [screen.paint('cyan', oneLine(item.key)), screen.paint('bold', oneLine(item.title ?? ''))].join(' ').trimEnd(),
      fieldLines(screen, fieldsOf(item, project)),
      printable(item.content),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
})
