import { appendFileSync } from 'node:fs'
import { NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

/** What a test reads of a span. */
export interface WrittenSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  status: number
}

const written = (span: ReadableSpan): WrittenSpan => {
  const { name, kind, parentSpanContext, attributes, status } = span
  const { traceId, spanId } = span.spanContext()
  return { name, kind, traceId, spanId, parentSpanId: parentSpanContext?.spanId, attributes, status: status.code }
}

/** Loaded before the service, as an operator loads an SDK; writes each span to a file. */
const path = process.env.SPANS_FILE
if (path !== undefined) {
  const exporter = {
    export: (spans: ReadableSpan[], done: (result: { code: number }) => void) => {
      appendFileSync(path, spans.map((span) => `${JSON.stringify(written(span))}\n`).join(''))
      done({ code: 0 })
    },
    shutdown: async () => {},
  }
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
}
