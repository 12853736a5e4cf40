import type { ResolveHook } from 'node:module'

/** Adds the extension to relative imports without one, as the console's bundler does, and replaces styles by empty modules. */
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  if (specifier.endsWith('.css')) return { url: 'data:text/javascript,', shortCircuit: true }
  return nextResolve(/^\.{1,2}\/.*(?<!\.\w{2,4})$/.test(specifier) ? `${specifier}.js` : specifier, context)
}
