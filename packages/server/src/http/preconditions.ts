import type { FastifyRequest } from 'fastify'
import type { Preconditions, VersionSet } from '../versions.js'

const entityTag = /^\s*(?:W\/)?"([^"]*)"\s*$/

/** A tag that is none of ours matches no version. */
const versionsOf = (header: string): VersionSet => {
  if (header.trim() === '*') return '*'
  const versions: number[] = []
  for (const tag of header.split(',')) {
    const text = entityTag.exec(tag)?.[1]
    if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) versions.push(Number(text))
  }
  return versions
}

const headerOf = (request: FastifyRequest, name: string): VersionSet | undefined => {
  const header = request.headers[name]
  return typeof header === 'string' ? versionsOf(header) : undefined
}

export const ifNoneMatch = (request: FastifyRequest): VersionSet | undefined => headerOf(request, 'if-none-match')

export const preconditionsOf = (request: FastifyRequest): Preconditions => ({
  ifMatch: headerOf(request, 'if-match'),
  ifNoneMatch: ifNoneMatch(request),
})
