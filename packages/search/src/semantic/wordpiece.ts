import { limitMarks } from '../text/fold.js'

const LONGEST_WORD = 100
const CONTINUED = '##'

// The reference (Hugging Face tokenizers, BertNormalizer and BertPreTokenizer) decides what is in these.
const REMOVED = /(?![\t\n\r])[\0\ufffd\p{Cc}\p{Cf}\p{Co}]/gu
const IDEOGRAPH =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu
const ACCENT = /\p{Mn}/gu
const WORD = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu

/** What BERT's uncased models were taught on: no control characters, no accents, no capitals. */
const normalize = (text: string): string => {
  const spaced = text.replace(REMOVED, '').replace(IDEOGRAPH, ' $& ')
  // A capital sigma always becomes σ there, never the ς of a word's end.
  return limitMarks(spaced).normalize('NFD').replace(ACCENT, '').replaceAll('Σ', 'σ').toLowerCase()
}

interface Tokenizer {
  /** Token ids between [CLS] and [SEP], cut to `limit` in all. */
  encode(text: string, limit: number): number[]
}

export const createTokenizer = (vocabulary: Map<string, number>): Tokenizer => {
  const special = (name: string): number => {
    const id = vocabulary.get(name)
    if (id === undefined) throw new Error(`the vocabulary has no ${name}`)
    return id
  }
  const [unknown, start, end] = [special('[UNK]'), special('[CLS]'), special('[SEP]')]

  /** The longest piece first; a word that cannot be pieced together is unknown as a whole. */
  const pieces = (word: string): number[] => {
    const characters = Array.from(word)
    if (characters.length > LONGEST_WORD) return [unknown]
    const ids: number[] = []
    for (let from = 0; from < characters.length; ) {
      let to = characters.length
      let id: number | undefined
      for (; to > from; to--) {
        const piece = characters.slice(from, to).join('')
        id = vocabulary.get(from === 0 ? piece : CONTINUED + piece)
        if (id !== undefined) break
      }
      if (id === undefined) return [unknown]
      ids.push(id)
      from = to
    }
    return ids
  }

  return {
    encode(text, limit) {
      const ids = [start]
      for (const [word] of normalize(text).matchAll(WORD)) {
        const whole = vocabulary.get(word)
        if (whole === undefined) ids.push(...pieces(word))
        else ids.push(whole)
        if (ids.length >= limit) break
      }
      ids.length = Math.min(ids.length, limit - 1)
      ids.push(end)
      return ids
    },
  }
}
