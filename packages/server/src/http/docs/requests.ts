/** A request that the page at /docs is about to send. */
interface PageRequest {
  url: string
  userFetch?: typeof fetch
}

/**
 * Swagger UI shows an answer once it has ended, which a stream does not do by itself: the page reads one for ten
 * seconds and shows what came. This function is sent to the browser as text, so it uses nothing from outside itself.
 */
export const interceptRequest = (request: PageRequest): PageRequest => {
  if (!request.url.split('?', 1)[0]!.endsWith('/v1/events/stream')) return request
  const readForMs = 10_000
  request.userFetch = async (url, init) => {
    const answer = await fetch(url, init)
    if (!answer.ok || !answer.body) return answer
    const reader = answer.body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    let isCut = false
    const timer = setTimeout(() => {
      isCut = true
      reader.cancel()
    }, readForMs)
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
    }
    clearTimeout(timer)
    if (isCut) text += `: closed by this page after ${readForMs / 1000} seconds\n`
    return new Response(text, { status: answer.status, headers: answer.headers })
  }
  return request
}
