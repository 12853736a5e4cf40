/** SQL texts, by the outermost suite that ran them. */
export type StatementsBySuite = Record<string, string[]>

const texts = new Map<string, Set<string>>()
let kept = new Set<string>()

/** Keeps the following statements under the name of this suite. */
export const keepStatementsOf = (suite: string): void => {
  kept = texts.get(suite) ?? new Set()
  texts.set(suite, kept)
}

export const keepStatement = (text: string): void => {
  kept.add(text)
}

export const statementsBySuite = (): StatementsBySuite =>
  Object.fromEntries([...texts].map(([suite, each]) => [suite, [...each]]))
