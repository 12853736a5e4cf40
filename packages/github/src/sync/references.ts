/** Tasks and issues that a pull request names. */
export interface References {
  /** Task ids; true where the pull request closes the task. */
  tasks: Map<string, boolean>
  /** Numbers of issues of the same repository. */
  issues: Map<number, boolean>
}

const maxReferences = 20

/** The words that GitHub closes issues by. */
const closing = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\\s+'
const code = /```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->/g

export const referencesOf = (repo: string, texts: readonly (string | null | undefined)[]): References => {
  const text = texts.filter(Boolean).join('\n').replaceAll(code, ' ')
  const escaped = repo.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const issue = new RegExp(
    `(${closing})?(?:\\bhttps?://[^/\\s]+/${escaped}/issues/|(?<![\\w/])${escaped}#|(?<![\\w/&])#)(\\d{1,10})\\b`,
    'gi',
  )
  const task = new RegExp(`(${closing})?\\b([A-Z][A-Z0-9]{1,9}-[1-9]\\d{0,9})\\b`, 'g')
  const taskClosing = new RegExp(`${closing}$`, 'i')
  const tasks = new Map<string, boolean>()
  const issues = new Map<number, boolean>()
  for (const [, word, number] of text.matchAll(issue)) {
    if (issues.size >= maxReferences) break
    issues.set(Number(number), issues.get(Number(number)) === true || word !== undefined)
  }
  for (const { 2: id, index, 1: word = '' } of text.matchAll(task)) {
    if (tasks.size >= maxReferences) break
    const isClosing = taskClosing.test(text.slice(Math.max(0, index - 20), index + word.length))
    tasks.set(id!, tasks.get(id!) === true || isClosing)
  }
  return { tasks, issues }
}
