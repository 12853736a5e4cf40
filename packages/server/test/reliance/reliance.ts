import assert from 'node:assert/strict'
import { expectStatus } from 'worklore-testing/expect'
import { createTask } from 'worklore-testing/factories'
import type { RequestOptions, TestTenant } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'

export interface Mark {
  key: string
  projectId: string | null
  version: number
  why: string
  at: string
}

/** What tests of reliance do again and again, as the admin unless another key is named. */
export const createReliance = (wl: TestTenant) => {
  const get = async (path: string, options?: RequestOptions) => expectStatus(await wl.get(path, options), 200).body.data
  const post = async (path: string, body: object = {}, options?: RequestOptions) =>
    expectStatus(await wl.post(path, body, options), 200).body.data
  const flush = () => wl.service.core.basis.flush()

  /** A task that is claimed, with the token of its claim. */
  const claimed = async (
    project: string,
    fields: object = {},
    key?: string,
  ): Promise<{ id: string; claim: string }> => {
    const { id } = await createTask(wl, project, { ...fields })
    const { claim } = await post(`/v1/tasks/${id}/claim`, {}, key === undefined ? undefined : { key })
    return { id, claim: claim.token }
  }

  const under = (claim: string, key?: string): RequestOptions => ({
    headers: { 'worklore-claim': claim },
    ...(key !== undefined && { key }),
  })

  const read = (itemKey: string, claim: string, key?: string) => get(`/v1/knowledge/${itemKey}`, under(claim, key))

  /** A task that has read items under its claim, all of it written. */
  const reliant = async (project: string, ...keys: string[]) => {
    const task = await claimed(project)
    for (const key of keys) await read(key, task.claim)
    await flush()
    return task
  }

  const staleOf = async (path: string, options?: RequestOptions): Promise<Mark[]> => (await get(path, options)).stale
  const marksOf = async (path: string): Promise<string[]> =>
    (await staleOf(path)).map(({ key, version, why }) => `${key} v${version} ${why}`).toSorted()

  /** Waits until a task (by its id) or an item (by its key) shows these marks. */
  const expectMarks = async (what: string, expected: string[]): Promise<void> => {
    const path = /^[A-Z0-9]+-\d+$/.test(what) ? `/v1/tasks/${what}` : `/v1/knowledge/${what}`
    const marks = await until(
      () => marksOf(path),
      (marks) => marks.join() === expected.toSorted().join(),
    )
    assert.deepEqual(marks, expected.toSorted())
  }

  /** What holds when nothing is left to be looked at. */
  const settle = () => wl.service.dueWork.runDue()

  const retract = (key: string, reason: string | null = 'wrong') => post('/v1/knowledge/retract', { key, reason })

  return { get, post, flush, claimed, under, read, reliant, staleOf, marksOf, expectMarks, settle, retract }
}
