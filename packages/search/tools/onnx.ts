import { bytes, float, integer, message, text } from './protobuf.js'

// Numbers of TensorProto.DataType.
export const FLOAT32 = 1
export const UINT8 = 2
export const INT8 = 3
export const INT32 = 6
export const INT64 = 7

const IR_VERSION = 8
const OPSET = 17
const CONTRIB = 'com.microsoft'
const ATTRIBUTE = { float: 1, int: 2, ints: 7 } as const

type Attribute = { float: number } | { int: number } | { ints: number[] }
export type Attributes = Record<string, Attribute>

const encodeAttribute = (name: string, value: Attribute): Buffer => {
  const parts = [text(1, name)]
  if ('float' in value) parts.push(float(2, value.float), integer(20, ATTRIBUTE.float))
  else if ('int' in value) parts.push(integer(3, value.int), integer(20, ATTRIBUTE.int))
  else parts.push(...value.ints.map((each) => integer(8, each)), integer(20, ATTRIBUTE.ints))
  return message(5, parts)
}

const encodeValue = (field: number, name: string, type: number, dims: readonly (string | number)[]): Buffer => {
  const shape = dims.map((dim) => message(1, [typeof dim === 'number' ? integer(1, dim) : text(2, dim)]))
  return message(field, [text(1, name), message(2, [message(1, [integer(1, type), message(2, shape)])])])
}

/** Collects a graph node by node; every call answers the names that later nodes refer to. */
export const createGraph = (name: string) => {
  const parts: Buffer[] = []
  let count = 0
  const nextName = () => `v${count++}`

  const node = (
    op: string,
    inputs: string[],
    outputCount: number,
    attributes: Attributes,
    domain?: string,
  ): string[] => {
    const outputs = Array.from({ length: outputCount }, nextName)
    const fields = [...inputs.map((each) => text(1, each)), ...outputs.map((each) => text(2, each)), text(4, op)]
    for (const [key, value] of Object.entries(attributes)) fields.push(encodeAttribute(key, value))
    if (domain) fields.push(text(7, domain))
    parts.push(message(1, fields))
    return outputs
  }

  return {
    /** A standard operator with one output. */
    apply: (op: string, inputs: string[], attributes: Attributes = {}): string => node(op, inputs, 1, attributes)[0]!,
    applyMany: (op: string, inputs: string[], outputCount: number): string[] => node(op, inputs, outputCount, {}),
    /** One of ONNX Runtime's own operators. */
    contrib: (op: string, inputs: string[], attributes: Attributes = {}): string =>
      node(op, inputs, 1, attributes, CONTRIB)[0]!,
    constant(type: number, dims: readonly number[], data: ArrayBufferView): string {
      const id = nextName()
      const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      parts.push(message(5, [...dims.map((dim) => integer(1, dim)), integer(2, type), text(8, id), bytes(9, raw)]))
      return id
    },
    input(id: string, type: number, dims: readonly (string | number)[]): string {
      parts.push(encodeValue(11, id, type, dims))
      return id
    },
    output(value: string, id: string, type: number, dims: readonly (string | number)[]): void {
      parts.push(message(1, [text(1, value), text(2, id), text(4, 'Identity')]))
      parts.push(encodeValue(12, id, type, dims))
    },
    toBytes: (): Buffer =>
      Buffer.concat([
        integer(1, IR_VERSION),
        text(2, 'worklore'),
        message(7, [text(2, name), ...parts]),
        message(8, [text(1, ''), integer(2, OPSET)]),
        message(8, [text(1, CONTRIB), integer(2, 1)]),
      ]),
  }
}

export type Graph = ReturnType<typeof createGraph>
