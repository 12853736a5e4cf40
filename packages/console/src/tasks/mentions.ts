import type { User } from 'worklore-client'
import type { Typed } from '../suggestions/typed.js'

const shown = 8
/** Longer than any handle with what comes before it. */
const lookBack = 40

/** As the service finds mentions: not behind a letter or digit, but for scripts that put no space between words. */
const beingWritten =
  /(?<!(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{N}]|[.+\-/@\\=&#%`])_*)@([a-z0-9-]{0,32})$/iu

/** The handle that the caret is at the end of. */
export const mentionAt = (text: string, caret: number): Typed | null => {
  const typed = beingWritten.exec(text.slice(Math.max(0, caret - lookBack), caret))?.[1]
  return typed === undefined ? null : { start: caret - typed.length, typed: typed.toLowerCase() }
}

/** Users by handle or name: those that begin with what was typed first. */
export const matchingUsers = (users: readonly User[], typed: string): User[] => {
  const rankOf = ({ handle, name }: User): number => {
    if (handle.startsWith(typed)) return 0
    const words = name.toLowerCase().split(/\s+/)
    if (words.some((word) => word.startsWith(typed))) return 1
    return handle.includes(typed) ? 2 : 3
  }
  return users
    .map((user) => ({ user, rank: rankOf(user) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, shown)
    .map(({ user }) => user)
}
