import { type AsyncHook, createHook, type HookCallbacks } from 'node:async_hooks'
import { createRequire } from 'node:module'

// Node's test runner tracks every promise of its process with an async hook. It needs the hook while files describe their
// suites; while tests run, it would take up to a third of the CPU time. This must be loaded before node:test.
const asyncHooks = createRequire(import.meta.url)('node:async_hooks') as { createHook: typeof createHook }
const hooks: AsyncHook[] = []

asyncHooks.createHook = (callbacks: HookCallbacks) => {
  const hook = createHook(callbacks)
  hooks.push(hook)
  return hook
}

/** Call this when all files are loaded. */
export const dropHooks = (): void => {
  asyncHooks.createHook = createHook
  for (const hook of hooks) hook.disable()
}
