import { minilmModel } from '../src/semantic/minilm-model.js'
import { createGraph, FLOAT32, type Graph, INT8, INT32, INT64, UINT8 } from './onnx.js'
import { balance, type QuantizedTensor, quantizeRows, transpose } from './quantize-weights.js'
import type { Tensor } from './safetensors.js'

/** Raise it whenever the graph changes, so that a built one is written anew. */
export const GRAPH_VERSION = 2

const { dimensions: DIMENSIONS, maxTokens: MAX_TOKENS } = minilmModel
const WEIGHT_LEVELS = 127
// Where the weights are unsigned, as the values are that they are multiplied with, ONNX Runtime adds the products in
// 32 bits on every processor. Of unsigned by signed ones x86-64 without VNNI adds two in 16 bits, which overflows.
const ZERO_POINT = 128

const LAYERS = 6
const HEADS = 12
const EPSILON = { epsilon: { float: 1e-12 } }
const EMBEDDING_LEVELS = 127

type Weights = (name: string) => Tensor

const floats = (graph: Graph, data: Float32Array) => graph.constant(FLOAT32, [data.length], data)
const longs = (graph: Graph, value: bigint) => graph.constant(INT64, [1], BigInt64Array.of(value))
const matrix = (graph: Graph, { rows, columns, data }: QuantizedTensor) => graph.constant(INT8, [rows, columns], data)
const unsignedMatrix = (graph: Graph, { rows, columns, data }: QuantizedTensor) =>
  graph.constant(
    UINT8,
    [rows, columns],
    Uint8Array.from(data, (value) => value + ZERO_POINT),
  )
const zeroPoint = (graph: Graph) => graph.constant(UINT8, [1], Uint8Array.of(ZERO_POINT))

const stack = (tensors: Tensor[]): Tensor => {
  const data = new Float32Array(tensors.reduce((sum, each) => sum + each.data.length, 0))
  let at = 0
  for (const each of tensors) {
    data.set(each.data, at)
    at += each.data.length
  }
  return { shape: [tensors.reduce((sum, each) => sum + each.shape[0]!, 0), ...tensors[0]!.shape.slice(1)], data }
}

const embeddings = (graph: Graph, weights: Weights, ids: string): string => {
  const words = quantizeRows(weights('embeddings.word_embeddings.weight'), EMBEDDING_LEVELS)
  const scales = graph.constant(FLOAT32, [words.rows, 1], words.scales)
  const gathered = graph.apply('Cast', [graph.apply('Gather', [matrix(graph, words), ids])], { to: { int: FLOAT32 } })
  const scaled = graph.apply('Mul', [gathered, graph.apply('Gather', [scales, ids])])

  // Every token is of the first type, so its type's row belongs to its position.
  const positions = weights('embeddings.position_embeddings.weight').data.slice(0, MAX_TOKENS * DIMENSIONS)
  const type = weights('embeddings.token_type_embeddings.weight').data
  for (let i = 0; i < positions.length; i++) positions[i]! += type[i % DIMENSIONS]!
  const length = graph.apply('Slice', [graph.apply('Shape', [ids]), longs(graph, 1n), longs(graph, 2n)])
  const table = graph.constant(FLOAT32, [MAX_TOKENS, DIMENSIONS], positions)
  const placed = graph.apply('Add', [scaled, graph.apply('Slice', [table, longs(graph, 0n), length])])

  const gamma = floats(graph, weights('embeddings.LayerNorm.weight').data)
  const beta = floats(graph, weights('embeddings.LayerNorm.bias').data)
  return graph.apply('LayerNormalization', [placed, gamma, beta], EPSILON)
}

/** Spreads what stands out after a normalisation over the weights that follow, where each row has its own scale. */
const balanced = (graph: Graph, weights: Weights, norm: string, weight: Tensor, hidden: string) => {
  const { shape, data, factors } = balance(weight, weights(`${norm}.weight`).data, weights(`${norm}.bias`).data)
  return { weight: { shape, data }, input: graph.apply('Mul', [hidden, floats(graph, factors)]) }
}

const attention = (graph: Graph, weights: Weights, layer: string, norm: string, hidden: string): string => {
  const parts = ['query', 'key', 'value'].map((part) => `${layer}.attention.self.${part}`)
  const joined = stack(parts.map((part) => weights(`${part}.weight`)))
  const { weight, input } = balanced(graph, weights, norm, joined, hidden)
  const bias = stack(parts.map((part) => weights(`${part}.bias`)))
  const turned = transpose(quantizeRows(weight, WEIGHT_LEVELS))
  const [quantized = '', scale = '', zero = ''] = graph.applyMany('DynamicQuantizeLinear', [input], 3)
  const noMask = ''
  const inputs = [
    quantized,
    unsignedMatrix(graph, turned),
    floats(graph, bias.data),
    scale,
    floats(graph, turned.scales),
  ]
  return graph.contrib('QAttention', [...inputs, noMask, zero, zeroPoint(graph)], { num_heads: { int: HEADS } })
}

const multiply = (graph: Graph, weight: Tensor, input: string): string => {
  const turned = transpose(quantizeRows(weight, WEIGHT_LEVELS))
  const inputs = [input, unsignedMatrix(graph, turned), floats(graph, turned.scales), zeroPoint(graph)]
  return graph.contrib('DynamicQuantizeMatMul', inputs)
}

/** One token's outlier would cost every other token its precision, so each is scaled by its own largest value. */
const multiplyByToken = (graph: Graph, weight: Tensor, input: string): string => {
  const largest = graph.apply('ReduceMax', [input], { axes: { ints: [2] } })
  return graph.apply('Mul', [multiply(graph, weight, graph.apply('Div', [input, largest])), largest])
}

const addAndNormalize = (graph: Graph, weights: Weights, name: string, value: string, hidden: string): string => {
  const [gamma, beta, bias] = ['LayerNorm.weight', 'LayerNorm.bias', 'dense.bias'].map((part) =>
    floats(graph, weights(`${name}.${part}`).data),
  )
  return graph.contrib('SkipLayerNormalization', [value, hidden, gamma!, beta!, bias!], EPSILON)
}

const encoderLayer = (graph: Graph, weights: Weights, layer: string, norm: string, hidden: string): string => {
  const seen = attention(graph, weights, layer, norm, hidden)
  const mixed = multiply(graph, weights(`${layer}.attention.output.dense.weight`), seen)
  const attended = addAndNormalize(graph, weights, `${layer}.attention.output`, mixed, hidden)

  const up = weights(`${layer}.intermediate.dense.weight`)
  const { weight, input } = balanced(graph, weights, `${layer}.attention.output.LayerNorm`, up, attended)
  const bias = floats(graph, weights(`${layer}.intermediate.dense.bias`).data)
  const active = graph.contrib('FastGelu', [multiply(graph, weight, input), bias])
  const down = multiplyByToken(graph, weights(`${layer}.output.dense.weight`), active)
  return addAndNormalize(graph, weights, `${layer}.output`, down, attended)
}

/**
 * all-MiniLM-L6-v2 as an ONNX file: the token ids of one text in, its unit vector out. One text at a time: batches were
 * no faster on one thread, and the shared scale of a batch would let one text change another's vector.
 */
export const buildMinilmGraph = (weights: Weights): Buffer => {
  const graph = createGraph('all-MiniLM-L6-v2')
  const ids = graph.input('ids', INT32, [1, 'tokens'])

  let hidden = embeddings(graph, weights, ids)
  for (let i = 0; i < LAYERS; i++) {
    const norm = i === 0 ? 'embeddings.LayerNorm' : `encoder.layer.${i - 1}.output.LayerNorm`
    hidden = encoderLayer(graph, weights, `encoder.layer.${i}`, norm, hidden)
  }

  // The mean and the sum point the same way, and only the direction is left after normalising.
  const sum = graph.apply('ReduceSum', [hidden, longs(graph, 1n)], { keepdims: { int: 0 } })
  const unit = graph.apply('LpNormalization', [sum], { axis: { int: 1 }, p: { int: 2 } })
  graph.output(unit, 'vector', FLOAT32, [1, DIMENSIONS])
  return graph.toBytes()
}
