// The few wire types of Protocol Buffers that an ONNX file needs.

const VARINT = 0
const BYTES = 2
const FIXED32 = 5

const varint = (value: number): Buffer => {
  const out: number[] = []
  let rest = value
  while (rest >= 128) {
    out.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  out.push(rest)
  return Buffer.from(out)
}

const tag = (field: number, type: number) => varint(field * 8 + type)

export const integer = (field: number, value: number): Buffer => Buffer.concat([tag(field, VARINT), varint(value)])

export const float = (field: number, value: number): Buffer => {
  const bits = Buffer.alloc(4)
  bits.writeFloatLE(value)
  return Buffer.concat([tag(field, FIXED32), bits])
}

export const bytes = (field: number, value: Uint8Array): Buffer =>
  Buffer.concat([tag(field, BYTES), varint(value.byteLength), value])

export const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value))

export const message = (field: number, parts: readonly Uint8Array[]): Buffer => bytes(field, Buffer.concat(parts))
