import type { Typed } from '../suggestions/typed'

interface CompletionOption {
  id: string
  name: string
  hint: string | null
}

/** What an editor offers while something is being written. */
export interface Completion {
  label: string
  /** What the caret is at the end of, in a line. */
  find: (line: string, caret: number) => Typed | null
  matching: (typed: string) => readonly CompletionOption[]
  /** What is written for an option in front of the rest of the line, and where the caret is then. */
  write: (option: CompletionOption, after: string) => { text: string; caret: number }
}
