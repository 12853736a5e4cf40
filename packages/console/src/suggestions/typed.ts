/** What is being written and can be completed: where it starts, and what there is of it. */
export interface Typed {
  start: number
  typed: string
}
