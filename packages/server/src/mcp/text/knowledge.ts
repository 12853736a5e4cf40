import type { StaleMark } from '../../work/fields/stale-marks.js'
import type { KnowledgeItem } from '../../work/knowledge/schema.js'
import { dayText, quoted, word } from './text.js'

type Standing = Pick<
  KnowledgeItem,
  'state' | 'supersededBy' | 'retraction' | 'validUntil' | 'trust' | 'verdict' | 'stale'
>

const stateText = ({ state, supersededBy, retraction, validUntil }: Standing): string[] => {
  if (state === 'retracted') return [`retracted ${quoted(retraction!.reason)}; do not rely on it`]
  if (state === 'superseded') return [`superseded by ${word(supersededBy!)}; read that`]
  return state === 'expired' ? [`expired ${dayText(validUntil!)}; check before you rely on it`] : []
}

const trustText = ({ trust, verdict }: Standing): string[] => {
  if (trust === 'unreviewed') return []
  const note = verdict?.note ? ` ${quoted(verdict.note)}` : ''
  return [`${trust}${verdict ? ` by ${word(verdict.by.keyName)}` : ''}${note}`]
}

const markText = ({ key, version, why }: StaleMark): string => `relied on ${word(key)} v${version}, since ${why}`

/** Whether a note holds and who says so, in a few words; empty where there is nothing to say. */
export const standingText = (item: Standing): string =>
  [...stateText(item), ...trustText(item), ...item.stale.map(markText)].join('; ')
