export const nodeWidthPx = 216
export const nodeHeightPx = 54
const layerGapPx = 64
const nodeGapPx = 14
/** Where an edge passes a layer. */
const bendHeightPx = 8
const marginPx = 24
const orderSweeps = 6
const alignSweeps = 6

export interface Edge {
  /** What must be closed first. */
  from: string
  to: string
}

export interface Placed {
  width: number
  height: number
  nodes: { id: string; x: number; y: number; layer: number }[]
  edges: (Edge & { path: string })[]
}

/** A task, or the place where an edge passes a layer. */
interface Slot {
  layer: number
  height: number
  /** The middle. */
  y: number
  before: Slot[]
  after: Slot[]
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** As far right as what blocks a task demands; what nothing blocks stands just before what it blocks. */
const layersOf = (ids: readonly string[], edges: readonly Edge[]): Map<string, number> => {
  const layers = new Map(ids.map((id) => [id, 0]))
  const after = new Map<string, string[]>(ids.map((id) => [id, []]))
  const waitsFor = new Map(ids.map((id) => [id, 0]))
  for (const { from, to } of edges) {
    after.get(from)!.push(to)
    waitsFor.set(to, waitsFor.get(to)! + 1)
  }
  const sources = ids.filter((id) => waitsFor.get(id) === 0)
  const order = [...sources]
  // What is in a cycle, which the service refuses, would stay in the first layer.
  for (const id of order) {
    for (const next of after.get(id)!) {
      layers.set(next, Math.max(layers.get(next)!, layers.get(id)! + 1))
      waitsFor.set(next, waitsFor.get(next)! - 1)
      if (waitsFor.get(next) === 0) order.push(next)
    }
  }
  for (const id of sources) {
    const nearest = Math.min(...after.get(id)!.map((next) => layers.get(next)!))
    if (Number.isFinite(nearest)) layers.set(id, Math.max(0, nearest - 1))
  }
  return layers
}

/** Orders each layer by the middle of the neighbours on one side, then on the other, and so on. */
const orderLayers = (layers: Slot[][]): void => {
  const sweep = (layer: Slot[], side: 'before' | 'after', places: Map<Slot, number>): void => {
    const middle = new Map(
      layer.map((slot, index) => [
        slot,
        slot[side].length > 0 ? mean(slot[side].map((other) => places.get(other)!)) : index,
      ]),
    )
    layer.sort((a, b) => middle.get(a)! - middle.get(b)!)
    for (const [index, slot] of layer.entries()) places.set(slot, index)
  }
  const places = new Map(layers.flatMap((layer) => layer.map((slot, index) => [slot, index] as const)))
  for (let count = 0; count < orderSweeps; count++) {
    const isForward = count % 2 === 0
    for (const layer of isForward ? layers : layers.toReversed()) sweep(layer, isForward ? 'before' : 'after', places)
  }
}

/** Moves tasks to the height of their neighbours as far as their layer has room. */
const alignLayers = (layers: Slot[][]): void => {
  for (let count = 0; count <= alignSweeps; count++) {
    const isForward = count % 2 === 0
    for (const layer of isForward ? layers : layers.toReversed()) {
      const wanted = layer.map((slot) => {
        const others = isForward ? slot.before : slot.after
        return count > 0 && others.length > 0 ? mean(others.map(({ y }) => y)) : slot.y
      })
      let bottom = Number.NEGATIVE_INFINITY
      layer.forEach((slot, index) => {
        slot.y = Math.max(wanted[index]!, bottom + nodeGapPx + slot.height / 2)
        bottom = slot.y + slot.height / 2
      })
      const shift = layer.length > 0 ? mean(layer.map((slot, index) => wanted[index]! - slot.y)) : 0
      for (const slot of layer) slot.y += shift
    }
  }
}

const xOf = (layer: number): number => marginPx + layer * (nodeWidthPx + layerGapPx)

/** From the right of one task to the left of another, level where it passes layers between them. */
const pathOf = (slots: readonly Slot[]): string => {
  const first = slots[0]!
  let path = `M${xOf(first.layer) + nodeWidthPx} ${Math.round(first.y)}`
  slots.slice(1).forEach((slot, index) => {
    const [startY, endX, endY] = [Math.round(slots[index]!.y), xOf(slot.layer), Math.round(slot.y)]
    const middle = endX - layerGapPx / 2
    path += `C${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`
    if (index < slots.length - 2) path += `H${endX + nodeWidthPx}`
  })
  return path
}

/**
 * Places tasks from left to right in the order of work: layers by the longest path, ordered by the middle of their
 * neighbours. The same input always gives the same picture.
 */
export const place = (ids: readonly string[], edges: readonly Edge[]): Placed => {
  const layerOf = layersOf(ids, edges)
  const layers = Array.from({ length: Math.max(0, ...layerOf.values()) + 1 }, (): Slot[] => [])
  const add = (layer: number, height: number): Slot => {
    const slot: Slot = { layer, height, y: 0, before: [], after: [] }
    layers[layer]!.push(slot)
    return slot
  }
  const slotOf = new Map(ids.map((id) => [id, add(layerOf.get(id)!, nodeHeightPx)]))
  const routes = edges.map(({ from, to }) => {
    const route = [slotOf.get(from)!]
    for (let layer = layerOf.get(from)! + 1; layer < layerOf.get(to)!; layer++) route.push(add(layer, bendHeightPx))
    route.push(slotOf.get(to)!)
    route.slice(1).forEach((slot, index) => {
      slot.before.push(route[index]!)
      route[index]!.after.push(slot)
    })
    return route
  })
  orderLayers(layers)
  alignLayers(layers)
  const all = layers.flat()
  const top = Math.min(...all.map(({ y, height }) => y - height / 2)) - marginPx
  for (const slot of all) slot.y -= top
  return {
    width: xOf(layers.length) - layerGapPx + marginPx,
    height: Math.round(Math.max(0, ...all.map(({ y, height }) => y + height / 2)) + marginPx),
    nodes: ids.map((id) => {
      const { layer, y } = slotOf.get(id)!
      return { id, layer, x: xOf(layer), y: Math.round(y - nodeHeightPx / 2) }
    }),
    edges: edges.map((edge, index) => ({ ...edge, path: pathOf(routes[index]!) })),
  }
}
