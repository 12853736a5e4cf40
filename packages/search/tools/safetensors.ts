export interface Tensor {
  shape: number[]
  data: Float32Array
}

interface Entry {
  dtype: string
  shape: number[]
  data_offsets: [number, number]
}

const halfToFloat = (half: number): number => {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Reads half-precision tensors by name out of a safetensors file held in memory. */
export const openSafetensors = (file: Buffer): ((name: string) => Tensor) => {
  const headerLength = Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerLength)) as Record<string, Entry>
  const start = 8 + headerLength
  const floats = Float32Array.from({ length: 65_536 }, (_, half) => halfToFloat(half))

  return (name) => {
    const entry = header[name]
    if (entry?.dtype !== 'F16') throw new Error(`the weights have no half-precision tensor ${name}`)
    const [from, to] = entry.data_offsets
    const data = new Float32Array((to - from) / 2)
    for (let i = 0; i < data.length; i++) data[i] = floats[file.readUInt16LE(start + from + i * 2)]!
    return { shape: entry.shape, data }
  }
}
