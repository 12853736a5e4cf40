import assert from 'node:assert/strict'
import { until } from 'worklore-testing/until'

/** Waits until something is so; fails where it never is. */
export const eventually = async (ask: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> => {
  const isSo = await until(ask, (answer) => answer, timeoutMs)
  assert.ok(isSo, `not so after ${timeoutMs} ms: ${ask.toString()}`)
}
