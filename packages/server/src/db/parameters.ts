const place = /\?|:tenant\b/g
const ofTenant = /\btenant_id = (?:cast\()?\?/

/** Which parameter `:tenant` repeats: the one that the first `tenant_id = ?` takes. */
const tenantParameter = (text: string): number => {
  const { 0: match, index } = ofTenant.exec(text) ?? { 0: '', index: -1 }
  if (index < 0) throw new Error(`:tenant repeats the parameter of a "tenant_id = ?", which is missing: ${text}`)
  return text.slice(0, index + match.length).split('?').length - 2
}

/**
 * Replaces each `?` and `:tenant` of a text by what `write` makes of the parameter it takes, counted from 0. `:tenant`
 * lets every table of a statement name its tenant by a parameter, as an engine needs that keeps tenants apart.
 */
export const replaceParameters = (text: string, write: (at: number) => string): string => {
  const tenant = text.includes(':tenant') ? tenantParameter(text) : -1
  let count = 0
  return text.replaceAll(place, (found) => write(found === '?' ? count++ : tenant))
}
