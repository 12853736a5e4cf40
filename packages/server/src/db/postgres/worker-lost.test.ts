import assert from 'node:assert/strict'
import { it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { openDb } from '../open.js'

const postgres = engines.find(({ name }) => name === 'postgres')!

it('keeps its connections when the server has lost one of its own', async (test) => {
  const store = await postgres.createPreparedStore()
  test.after(() => store.remove())
  const db = await openDb({ ...store, poolSize: 2 })
  test.after(() => db.close())
  const backend = async (): Promise<number> => (await db.get<{ pid: number }>('select pg_backend_pid() as pid'))!.pid
  const before = await backend()
  const refused = { code: 'SERVICE_UNAVAILABLE', params: { retryAfter: 2 } }
  for (const [code, message] of [
    ['08006', 'connection to the remote node failed'],
    ['57P01', 'terminating connection due to unexpected postmaster exit'],
    ['XX000', 'postmaster was shut down, exiting'],
    ['XX000', 'failure on connection marked as essential: 127.0.0.1:9701'],
    ['XX000', 'could not commit transaction for shard 102009 on at least one active node'],
    ['XX000', "failed to prepare transaction ''citus_0_1_2_3'' on host 127.0.0.1:9701"],
    ['XX000', 'execution cannot recover from multiple connection failures. Last node failed 127.0.0.1:9701'],
    ['XX000', 'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally'],
    ['XX000', 'could not receive data from server: Connection reset by peer'],
    ['XX000', 'SSL SYSCALL error: EOF detected'],
  ]) {
    const lose = `do $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`
    await assert.rejects(async () => db.run(lose), refused)
    await assert.rejects(
      db.transaction(async (tx) => void (await tx.run(lose)), 'ten_1'),
      refused,
    )
  }
  const fault = "do $$ begin raise exception using errcode = 'XX000', message = 'cache lookup failed'; end $$"
  await assert.rejects(async () => db.run(fault), { code: 'XX000' })
  assert.equal(await backend(), before)
})
