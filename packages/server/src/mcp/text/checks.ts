import { invalid } from '../../base/errors.js'
import { isBlank } from '../../base/text.js'
import { maxCheckCharacters } from '../../tenancy/projects/schema.js'
import { type MissingCheck, missingText } from '../../work/tasks/checks/rules.js'
import type { Check } from '../../work/tasks/checks/schema.js'
import type { Task } from '../../work/tasks/schema.js'
import { fittingLines } from '../budget.js'
import { asData, dayText, quoted, word } from './text.js'

const deciders = {
  anyone: 'pass it by update_task checks with evidence',
  other: 'finish_task with outcome review, for a key that did not work on it to decide',
  human: 'finish_task with outcome review, for a human to decide',
}

const maxShownText = 80

/** What is missing before a task is done, in a sentence for each check, in the words of the tools. */
export const missingChecksText = (checks: readonly MissingCheck[]): string =>
  checks.map((check) => missingText({ ...check, text: quoted(check.text, maxShownText) }, deciders)).join(' ')

const verifierTexts: Readonly<Record<Check['verifier'], string>> = {
  anyone: '',
  other: ', for others to decide',
  human: ', for a human to decide',
}

const headingOf = ({ id, state, verifier, by, at }: Check): string =>
  `${id} ${state}${by && at ? ` ${dayText(at)} by ${word(by.keyName)}` : ''}${verifierTexts[verifier]}`

const checkLine = (check: Check, longest: number): string => {
  const { id, text, evidence } = check
  const isCut = text.length > longest || (evidence?.length ?? 0) > longest
  const parts = [`${headingOf(check)}: ${quoted(text, longest)}`]
  if (evidence !== null) parts.push(`evidence ${quoted(evidence, longest)}`)
  if (isCut) parts.push(`whole: get_task cursor ${id}`)
  return parts.join(', ')
}

/** The checks of a task in a line each, cut to fit. */
export const checksText = ({ checks }: Pick<Task, 'checks'>, budget: number): string[] => {
  if (checks.length === 0) return []
  return ['checks:', ...fittingLines(checks, checkLine, budget)]
}

/** The whole of a check, where a cursor names one. */
export const wholeCheck = ({ checks }: Pick<Task, 'checks'>, cursor: string): string[] | undefined => {
  const check = checks.find(({ id }) => id === cursor)
  if (!check) return undefined
  const evidence = check.evidence === null ? [] : ['evidence:', asData(check.evidence)]
  return [`${headingOf(check)}:`, asData(check.text), ...evidence]
}

/** Checks as the tools take them: texts, with who decides in front where that is not anyone. `path` is their place. */
export const wantedChecks = (texts: readonly string[], path: string): { text: string; verifier: Check['verifier'] }[] =>
  texts.map((sent, at) => {
    const [prefix = '', verifier] = /^\s*(other|human)\s*:\s*/i.exec(sent) ?? []
    const text = sent.slice(prefix.length)
    if (isBlank(text)) throw invalid({ path: `${path}.${at}`, message: 'must not be blank' })
    if ([...text].length > maxCheckCharacters) {
      throw invalid({ path: `${path}.${at}`, message: `must have at most ${maxCheckCharacters} characters` })
    }
    return { text, verifier: (verifier?.toLowerCase() as Check['verifier'] | undefined) ?? 'anyone' }
  })
