// The Snowball English stemmer ("Porter2"), for words of a–z alone.
// Inside, a `Y` is a y that acts as a consonant.

const IRREGULAR = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)
const FIXED = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'])
const FIXED_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

type Ending = readonly [ending: string, replacement: string]

// Longest first: the first ending that matches decides, even where its condition then fails.
const STEP2: readonly Ending[] = [
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ization', 'ize'],
  ['ousness', 'ous'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['tional', 'tion'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ation', 'ate'],
  ['entli', 'ent'],
  ['fulli', 'ful'],
  ['iviti', 'ive'],
  ['ousli', 'ous'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['anci', 'ance'],
  ['ator', 'ate'],
  ['enci', 'ence'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]
const STEP3: readonly Ending[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['ative', ''],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ')

const isVowel = (letter: string | undefined) => letter !== undefined && 'aeiouy'.includes(letter)
const hasVowel = (part: string) => /[aeiouy]/.test(part)

const markConsonantY = (word: string) =>
  word.includes('y') ? word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y') : word

const regionAfter = (word: string, from: number) => {
  for (let i = from + 1; i < word.length; i++) {
    if (!isVowel(word[i]) && isVowel(word[i - 1])) return i + 1
  }
  return word.length
}

const firstRegion = (word: string) => {
  const prefix = /^(?:gener|commun|arsen)/.exec(word)
  return prefix ? prefix[0].length : regionAfter(word, 0)
}

const endsInShortSyllable = (word: string) =>
  /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word)

const withoutPlural = (word: string) => {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1)
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word
}

const withoutTense = (word: string, r1: number) => {
  const eed = /eed(?:ly)?$/.exec(word)
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word)
  if (!ending || !hasVowel(word.slice(0, ending.index))) return word
  const rest = word.slice(0, ending.index)
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1)
  return r1 >= rest.length && endsInShortSyllable(rest) ? `${rest}e` : rest
}

const step2 = (word: string, r1: number) => {
  for (const [ending, replacement] of STEP2) {
    if (!word.endsWith(ending)) continue
    const at = word.length - ending.length
    if (at < r1) return word
    const before = word[at - 1]
    if (ending === 'ogi' && before !== 'l') return word
    if (ending === 'li' && !'cdeghkmnrt'.includes(before ?? '?')) return word
    return word.slice(0, at) + replacement
  }
  return word
}

const step3 = (word: string, r1: number, r2: number) => {
  for (const [ending, replacement] of STEP3) {
    if (!word.endsWith(ending)) continue
    const at = word.length - ending.length
    return at < (ending === 'ative' ? r2 : r1) ? word : word.slice(0, at) + replacement
  }
  return word
}

const step4 = (word: string, r2: number) => {
  for (const ending of STEP4) {
    if (!word.endsWith(ending)) continue
    const at = word.length - ending.length
    if (at < r2 || (ending === 'ion' && !'st'.includes(word[at - 1] ?? '?'))) return word
    return word.slice(0, at)
  }
  return word
}

const step5 = (word: string, r1: number, r2: number) => {
  const at = word.length - 1
  if (word.endsWith('e')) {
    return at >= r2 || (at >= r1 && !endsInShortSyllable(word.slice(0, at))) ? word.slice(0, at) : word
  }
  return word.endsWith('ll') && at >= r2 ? word.slice(0, at) : word
}

export const porter2 = (original: string): string => {
  if (original.length < 3 || FIXED.has(original)) return original
  const irregular = IRREGULAR.get(original)
  if (irregular) return irregular

  let word = markConsonantY(original)
  const r1 = firstRegion(word)
  const r2 = regionAfter(word, r1)
  word = withoutPlural(word)
  if (FIXED_AFTER_PLURAL.has(word)) return word
  word = withoutTense(word, r1)
  if (word.length > 2 && /[^aeiouy][yY]$/.test(word)) word = `${word.slice(0, -1)}i`
  word = step2(word, r1)
  word = step3(word, r1, r2)
  word = step4(word, r2)
  word = step5(word, r1, r2)
  return word.replaceAll('Y', 'y')
}

const ENGLISH_WORD = /^[a-z]{3,}$/

export const stemOf = (word: string): string => (ENGLISH_WORD.test(word) ? porter2(word) : word)
