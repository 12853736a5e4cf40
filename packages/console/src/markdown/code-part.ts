/** A piece of a code and the name of its color; the name is empty where it has none. */
export type CodePart = readonly [color: string, text: string]

/** A code to be highlighted, as the lexer's worker takes it. */
export interface CodeRequest {
  code: string
  language: string
}
