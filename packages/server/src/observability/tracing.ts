import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { type Awaitable, isPromise } from '../base/awaitable.js'

/** Spans, for the OpenTelemetry SDK that the operator has loaded. */
export interface Tracing {
  /** The span of a request, under the trace that its headers name. */
  startRequest(headers: object, name: string, attributes: Attributes): Traced
  /** The span of a message to elsewhere, with the headers that let its receiver continue the trace. */
  startMessage(traceparent: string | undefined, name: string, attributes: Attributes): Traced & { headers: Headers }
  /** Runs work in a span under the one it is part of; without a span where that is none, or has ended. */
  inSpan<T>(name: string, attributes: () => Attributes, work: () => Awaitable<T>): Awaitable<T>
  /** Lets a callback run in the span that it was made in. */
  bind<F extends (...given: never[]) => unknown>(callback: F): F
}

type Headers = Record<string, string>

export interface Traced {
  traceparent: string
  run<T>(work: () => T): T
  /** Without an error it went well. */
  end(attributes: Attributes, error?: string): void
}

const traceparentOfSpan = (span: Span): string => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const fail = (span: Span, error: string): void => {
  span.setAttribute('error.type', error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const nameOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : 'unknown'))

/** The tracer of the SDK; undefined where none is loaded. It is loaded before the service, or not at all. */
const loadedTracer = (version: string): Tracer | undefined => {
  const provider: { getDelegateTracer?(name: string): unknown } = trace.getTracerProvider() as object
  // Without an SDK the global provider is a proxy of nothing.
  if (provider.getDelegateTracer && provider.getDelegateTracer('worklore') === undefined) return undefined
  return trace.getTracer('worklore', version)
}

/** Undefined where no SDK is loaded: whoever would trace does nothing then, and costs nothing. */
export const createTracing = (version: string): Tracing | undefined => {
  const tracer = loadedTracer(version)
  if (!tracer) return undefined

  const start = (parent: Context, kind: SpanKind, name: string, attributes: Attributes) => {
    const span = tracer.startSpan(name, { kind, attributes }, parent)
    const inside = trace.setSpan(parent, span)
    const traced: Traced = {
      traceparent: traceparentOfSpan(span),
      run: (work) => context.with(inside, work),
      end: (more, error) => {
        span.setAttributes(more)
        if (error !== undefined) fail(span, error)
        span.end()
      },
    }
    return { inside, traced }
  }

  return {
    startRequest: (headers, name, attributes) =>
      start(propagation.extract(ROOT_CONTEXT, headers), SpanKind.SERVER, name, attributes).traced,
    startMessage: (traceparent, name, attributes) => {
      const parent = propagation.extract(ROOT_CONTEXT, { traceparent })
      const { inside, traced } = start(parent, SpanKind.CLIENT, name, attributes)
      const headers: Headers = {}
      propagation.inject(inside, headers)
      return { ...traced, headers }
    },
    inSpan: (name, attributes, work) => {
      const parent = context.active()
      // What a request has left behind, such as a timer, is part of a span that has ended.
      if (!trace.getSpan(parent)?.isRecording()) return work()
      const { traced } = start(parent, SpanKind.INTERNAL, name, attributes())
      const refuse = (error: unknown): never => {
        traced.end({}, nameOf(error))
        throw error
      }
      try {
        const result = traced.run(work)
        if (isPromise(result)) {
          return result.then((value) => {
            traced.end({})
            return value
          }, refuse)
        }
        traced.end({})
        return result
      } catch (error) {
        return refuse(error)
      }
    },
    bind: (callback) => context.bind(context.active(), callback),
  }
}
