import { register } from 'node:module'

/** The conformance suite names `globSync` of Node 22 among its imports and calls it only to check SDK repositories. */
const hooks = `
const fileSystem = 'data:text/javascript,' + encodeURIComponent(
  "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => []")
export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/dist/')
    ? { url: fileSystem, shortCircuit: true }
    : next(name, context)`

register(`data:text/javascript,${encodeURIComponent(hooks)}`)
