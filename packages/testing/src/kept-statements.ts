import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names the folder in which each test process leaves the texts of the statements that it ran. */
export const keptStatementsVariable = 'WORKLORE_TEST_STATEMENTS'

const folder = process.env[keptStatementsVariable]
const suffix = '.statements.json'
const texts = new Set<string>()

const leave = (): void => writeFileSync(join(folder!, `${process.pid}${suffix}`), JSON.stringify([...texts]))

export const keepStatement = (text: string): void => {
  if (folder === undefined) return
  if (texts.size === 0) process.on('exit', leave)
  texts.add(text)
}

/** The texts that all processes have left. */
export const readKeptStatements = (from: string): string[] => {
  const files = readdirSync(from).filter((name) => name.endsWith(suffix))
  return [...new Set(files.flatMap((name) => JSON.parse(readFileSync(join(from, name), 'utf8')) as string[]))]
}
