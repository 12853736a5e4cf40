import type { Tensor } from './safetensors.js'

export interface QuantizedTensor {
  rows: number
  columns: number
  data: Int8Array
  scales: Float32Array
}

const scaleOf = (data: Float32Array, from: number, to: number, levels: number): number => {
  let largest = 0
  for (let i = from; i < to; i++) largest = Math.max(largest, Math.abs(data[i]!))
  return largest / levels || 1
}

/** One scale a row. */
export const quantizeRows = ({ shape, data }: Tensor, levels: number): QuantizedTensor => {
  const [rows = 0, columns = 0] = shape
  const quantized = new Int8Array(data.length)
  const scales = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    const from = row * columns
    const scale = scaleOf(data, from, from + columns, levels)
    scales[row] = scale
    for (let i = from; i < from + columns; i++) quantized[i] = Math.round(data[i]! / scale)
  }
  return { rows, columns, data: quantized, scales }
}

/** Linear layers are stored output by input and multiplied input by output; the scale of each output stays. */
export const transpose = ({ rows, columns, data, scales }: QuantizedTensor): QuantizedTensor => {
  const turned = new Int8Array(data.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) turned[column * rows + row] = data[row * columns + column]!
  return { rows: columns, columns: rows, data: turned, scales }
}

/**
 * SmoothQuant without calibration: a layer norm's own parameters say how large each channel grows. The weights of a
 * channel are multiplied by what its values are divided by (`factors`), half of the difference on each side.
 */
export const balance = ({ shape, data }: Tensor, gamma: Float32Array, beta: Float32Array) => {
  const [rows = 0, columns = 0] = shape
  const scaled = data.slice()
  const factors = new Float32Array(columns)
  for (let column = 0; column < columns; column++) {
    const reach = Math.abs(beta[column]!) + 4 * Math.abs(gamma[column]!)
    let largest = 0
    for (let row = 0; row < rows; row++) largest = Math.max(largest, Math.abs(data[row * columns + column]!))
    const by = Math.sqrt(Math.max(reach, 1e-5) / Math.max(largest, 1e-5))
    factors[column] = 1 / by
    for (let row = 0; row < rows; row++) scaled[row * columns + column]! *= by
  }
  return { shape, data: scaled, factors }
}
