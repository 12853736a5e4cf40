/** Hues of consecutive numbers lie far apart: the golden angle, in degrees. */
const goldenAngle = 137
const maxInitials = 3

/** A number at the end tells names apart: `agent-1` to `agent-12`, `Worker 3`. */
const splitNumber = (name: string): [words: string, number: string] => {
  const [number = ''] = /\d{1,9}$/.exec(name) ?? []
  return [name.slice(0, name.length - number.length), number.replace(/^0+(?=\d)/, '')]
}

/** The same name always gets the same hue. */
export const hueOf = (name: string): number => {
  const [words, number] = splitNumber(name)
  let hash = 0
  for (const char of words) hash = (hash * 31 + char.codePointAt(0)!) % 360
  return (hash + Number(number) * goldenAngle) % 360
}

export const initialsOf = (name: string): string => {
  const [text, number] = splitNumber(name)
  const [first = '', second] = text.split(/[\s_-]+/).filter(Boolean)
  const [letter = number ? '' : '?', next = ''] = first
  if (number) return (letter.toUpperCase() + number).slice(-maxInitials)
  return (letter + (second ? [...second][0] : next)).toUpperCase()
}
