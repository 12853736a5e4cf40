import { createRandom } from '../texts.js'

const words = 4_000
/** Of middling frequency: each stands in between a twentieth and a fifth of the items. */
const middling = { from: 100, to: 400 }

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ro su ta ve'.split(' ')

/** Four letters or more, and no ending that a stemmer takes off. */
const wordAt = (rank: number): string => {
  let word = ''
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length]
  }
  return `${word}x`
}

/** Words drawn log-uniformly, so that the commonest stand in nearly every text. */
const text = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => anyWord(random)).join(' ')

export const projects = ['ALPHA', 'BETA', 'GAMMA', 'DELTA']
export const statuses = ['todo', 'in_progress', 'done', 'cancelled']

export const taskAt = (at: number) => {
  const random = createRandom(at + 1)
  return {
    projectId: projects[at % projects.length]!,
    title: text(random, 7),
    description: text(random, 45),
    status: statuses[Math.floor(at / projects.length) % statuses.length]!,
  }
}

export const itemKeyAt = (at: number): string => `notes/folder-${at % 200}/note-${at}`

export const itemAt = (at: number) => ({ content: text(createRandom(1_000_003 + at), 150) })

export const middlingWord = (random: () => number): string =>
  wordAt(middling.from + Math.floor(random() * (middling.to - middling.from)))

export const commonWord = (random: () => number): string => wordAt(Math.floor(random() * 5))

/** As likely as it is in a text. */
export const anyWord = (random: () => number): string => wordAt(Math.floor(words ** random()) - 1)
