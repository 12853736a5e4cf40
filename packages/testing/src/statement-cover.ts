/** SQL texts that each test file ran on PostgreSQL. */
export type StatementsByFile = Readonly<Record<string, readonly string[]>>

/** Returns the SQL texts that no chosen file ran, each with a file that did run it. */
export const uncoveredStatements = (
  statements: StatementsByFile,
  isChosen: (file: string) => boolean,
): { text: string; file: string }[] => {
  const files = Object.keys(statements)
  const covered = new Set(files.filter(isChosen).flatMap((file) => statements[file]!))
  const uncovered = new Map<string, string>()
  for (const file of files) for (const text of statements[file]!) if (!covered.has(text)) uncovered.set(text, file)
  return [...uncovered].map(([text, file]) => ({ text, file }))
}

/**
 * Returns a cheap set of files that, together with those that are chosen anyway, ran every SQL text. Repeatedly adds the file
 * that covers the most remaining texts relative to its cost, then removes the files that the rest make redundant.
 */
export const coveringFiles = (
  statements: StatementsByFile,
  isChosenAnyway: (file: string) => boolean,
  costOf: (file: string) => number,
): string[] => {
  const left = new Set(uncoveredStatements(statements, isChosenAnyway).map(({ text }) => text))
  const candidates = Object.entries(statements)
    .filter(([file]) => !isChosenAnyway(file))
    .map(([file, texts]) => ({ file, texts: new Set(texts.filter((text) => left.has(text))) }))
  const chosen: typeof candidates = []
  while (left.size > 0) {
    const gainOf = ({ file, texts }: (typeof candidates)[number]): number =>
      [...texts].filter((text) => left.has(text)).length / costOf(file)
    const best = candidates.reduce((one, other) => (gainOf(other) > gainOf(one) ? other : one))
    chosen.push(best)
    for (const text of best.texts) left.delete(text)
  }
  for (const each of chosen.toSorted((a, b) => costOf(b.file) - costOf(a.file))) {
    const others = chosen.filter((other) => other !== each)
    if ([...each.texts].every((text) => others.some(({ texts }) => texts.has(text))))
      chosen.splice(chosen.indexOf(each), 1)
  }
  return chosen.map(({ file }) => file).sort()
}
