import type { VersionSet } from '../../base/versions.js'

/** Quoted as HTTP asks for it, or the bare number that people write. */
const entityTag = /^\s*(?:(?:W\/)?"([^"]*)"|([\d.]+))\s*$/

export const tagsOf = (header: string): string[] => {
  const tags: string[] = []
  for (const part of header.split(',')) {
    const match = entityTag.exec(part)
    const text = match?.[1] ?? match?.[2]
    if (text !== undefined) tags.push(text)
  }
  return tags
}

/** A version, behind a dot how often its record has changed without a new one, and whether its time is over. */
const versionTag = /^([1-9]\d{0,14})(?:\.[1-9]\d{0,14})?(?:-expired)?$/

/** The versions that a change is to be made at. A tag that is none of ours matches no version. */
export const versionsOf = (header: string): VersionSet => {
  if (header.trim() === '*') return '*'
  return tagsOf(header).flatMap((tag) => {
    const version = versionTag.exec(tag)?.[1]
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether the header of a read names this tag, be it weak or strong. */
export const includesTag = (header: string, etag: string): boolean => {
  const text = etag.slice(etag.indexOf('"') + 1, -1)
  return header.trim() === '*' || tagsOf(header).includes(text)
}
