const ZERO = 48
const NINE = 57

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE

const endOfNumber = (bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end && isDigit(bytes[at])) at++
  return at
}

const withoutZeros = (bytes: Uint8Array, start: number, end: number): number => {
  let at = start
  while (at < end - 1 && bytes[at] === ZERO) at++
  return at
}

const compareFrom = (bytes: Uint8Array, startA: number, endA: number, startB: number, endB: number): number => {
  let atA = startA
  let atB = startB
  while (atA < endA && atB < endB) {
    if (!isDigit(bytes[atA]) || !isDigit(bytes[atB])) {
      const difference = bytes[atA++]! - bytes[atB++]!
      if (difference !== 0) return difference
      continue
    }
    const numberA = endOfNumber(bytes, atA, endA)
    const numberB = endOfNumber(bytes, atB, endB)
    const digitsA = withoutZeros(bytes, atA, numberA)
    const digitsB = withoutZeros(bytes, atB, numberB)
    const longer = numberA - digitsA - (numberB - digitsB)
    if (longer !== 0) return longer
    for (let at = 0; digitsA + at < numberA; at++) {
      const difference = bytes[digitsA + at]! - bytes[digitsB + at]!
      if (difference !== 0) return difference
    }
    atA = numberA
    atB = numberB
  }
  return endA - atA - (endB - atB)
}

/** Order by bytes, but digits side by side are a number: a-3 comes before a-12. Answers 0 for 1 and 01 too. */
export const compareNaturally = (
  bytes: Uint8Array,
  startA: number,
  endA: number,
  startB: number,
  endB: number,
): number => {
  const end = Math.min(endA, startA + endB - startB)
  const toB = startB - startA
  let at = startA
  while (at < end && bytes[at] === bytes[at + toB]) at++
  if (at === end) return endA - startA - (endB - startB)
  // What differs may be a digit within a number that began before.
  let number = at
  while (number > startA && isDigit(bytes[number - 1])) number--
  if (bytes[number] === ZERO || bytes[number + toB] === ZERO) {
    return compareFrom(bytes, number, endA, number + toB, endB)
  }
  const isNumber = number < at || (isDigit(bytes[at]) && isDigit(bytes[at + toB]))
  const longer = isNumber ? endOfNumber(bytes, at, endA) - at - (endOfNumber(bytes, at + toB, endB) - at - toB) : 0
  return longer || bytes[at]! - bytes[at + toB]!
}
