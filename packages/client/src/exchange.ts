/** One request, as it goes over the wire. */
export interface WireRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  signal?: AbortSignal | undefined
  /** Whether the answer is read as it comes. */
  isStream?: boolean | undefined
}

export interface WireAnswer {
  status: number
  header(name: string): string | undefined
  text(): Promise<string>
  /** The body as it comes; who stops reading ends the request. */
  chunks(): AsyncIterable<Uint8Array>
}

/** Sends a request and gives its answer when the status is there. It follows no redirect. */
export type Exchange = (url: string, request: WireRequest) => Promise<WireAnswer>

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** An exchange by `fetch`, which is called as a plain function: browsers refuse theirs as a method of something else. */
export const exchangeBy =
  (fetch: typeof globalThis.fetch): Exchange =>
  async (url, { method, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    return {
      // A browser does not tell where a redirect leads, nor that it is one.
      status: response.type === 'opaqueredirect' ? 302 : response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      text: () => response.text(),
      chunks: () => chunksOf(response.body!),
    }
  }
