/** Ways to compress an answer, the better first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const weightOf = (parameters: readonly string[]): number => {
  const weight = parameters
    .map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1])
    .find((text) => text !== undefined)
  return weight === undefined ? 1 : Number(weight) || 0
}

/** The encoding that `Accept-Encoding` prefers of ours; undefined where the answer is to be sent as it is. */
export const chooseEncoding = (header: string | undefined): Encoding | undefined => {
  if (header === undefined || header === '') return undefined
  const weights = new Map<string, number>()
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';')
    weights.set(name.trim().toLowerCase(), weightOf(parameters))
  }
  const anyWeight = weights.get('*') ?? 0
  let chosen: Encoding | undefined
  let best = 0
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? anyWeight
    if (weight > best) {
      chosen = encoding
      best = weight
    }
  }
  return best >= (weights.get('identity') ?? 0) ? chosen : undefined
}
