import type { Issue } from '../github/records.js'

const maxLabels = 50
const maxLabelLength = 64
const maxLabelLengthThere = 50
const milestonePrefix = 'milestone:'

/** Whether a label of GitHub can be one of a task; what cannot stays there alone. */
const isPossible = (name: string): boolean => name !== '' && name.length <= maxLabelLength && !name.includes(',')

/** Labels of an issue as a task has them. */
export const labelsOfIssue = ({ labels }: Pick<Issue, 'labels'>): string[] =>
  allLabelsOf(labels)
    .map((name) => name.trim())
    .filter(isPossible)

const allLabelsOf = (labels: Issue['labels']): string[] =>
  labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')))

/** Labels of a task that belong on the issue. */
export const labelsForIssue = (labels: readonly string[]): string[] =>
  labels.filter((label) => !label.startsWith(milestonePrefix) && label.length <= maxLabelLengthThere)

const milestoneLabel = (title: string): string =>
  `${milestonePrefix}${title.replaceAll(',', ' ')}`.slice(0, maxLabelLength).toWellFormed()

/** GitHub takes `Bug` for `bug`. */
const keyOf = (label: string): string => label.toLowerCase()
const has = (labels: readonly string[], label: string): boolean => labels.some((each) => keyOf(each) === keyOf(label))
const without = (labels: readonly string[], removed: readonly string[]): string[] =>
  labels.filter((label) => !has(removed, label))
const plus = (labels: readonly string[], added: readonly string[]): string[] => [
  ...labels,
  ...added.filter((label) => !has(labels, label)),
]

interface LabelBase {
  github: string[]
  worklore: string[]
}

interface LabelChanges {
  /** What the task is to have; undefined where it has that already. */
  toTask: string[] | undefined
  toIssue: string[] | undefined
}

/** Carries what was added and removed on each side over to the other: labels never conflict. */
export const mergeLabels = (
  issue: Pick<Issue, 'labels' | 'milestone'>,
  taskLabels: readonly string[],
  base: LabelBase | undefined,
  baseMilestone: string | null,
): LabelChanges => {
  const there = labelsOfIssue(issue)
  const here = labelsForIssue(taskLabels)
  const baseThere = base?.github ?? []
  const baseHere = base?.worklore ?? []
  const milestone = issue.milestone?.title ?? null
  const isMoved = milestone !== baseMilestone
  const added = [...without(there, baseThere), ...(isMoved && milestone !== null ? [milestoneLabel(milestone)] : [])]
  const removed = [
    ...without(baseThere, there),
    ...(isMoved && baseMilestone !== null ? [milestoneLabel(baseMilestone)] : []),
  ]
  const nextHere = plus(without(taskLabels, without(removed, added)), added).slice(0, maxLabels)
  const kept = allLabelsOf(issue.labels)
  const nextThere = plus(without(kept, without(baseHere, here)), without(here, baseHere))
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((label) => has(other, label))
  return {
    toTask: isSame(nextHere, taskLabels) ? undefined : nextHere,
    toIssue: isSame(nextThere, kept) ? undefined : nextThere,
  }
}
