import { serve } from '../main.js'
import { expectWords, type RunCommand } from './command.js'

export const run: RunCommand = async (words) => {
  expectWords(words, 'Usage: worklore serve\n\nSettings are environment variables: "worklore serve --help" lists them.')
  await serve(process.env)
  return 0
}
