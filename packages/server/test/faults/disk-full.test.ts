import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { expectError } from 'worklore-testing/expect'
import { createProject, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { until } from 'worklore-testing/until'

/** A disk that can be made full and roomy again. */
interface SmallDisk {
  wl: TestService
  fill(): Promise<void>
  makeRoom(): Promise<void>
  remove(): Promise<void>
}

const pageLimit = async (wl: TestService, pages: string): Promise<void> => {
  await wl.service.core.db.transaction(async (tx) => void (await tx.get(`pragma max_page_count = ${pages}`)))
}

/** Works anywhere: SQLite itself refuses to let the file grow. */
const limitedFile = async (): Promise<SmallDisk> => {
  const wl = await startService(engines[0]!)
  const size = async () => (await wl.service.core.db.get<{ page_count: number }>('pragma page_count'))!.page_count
  return {
    wl,
    fill: async () => pageLimit(wl, String(await size())),
    makeRoom: () => pageLimit(wl, '4294967294'),
    remove: () => wl.stop(),
  }
}

const mountSmall = (): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'worklore-small-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder])
  return mounted.status === 0 ? folder : undefined
}

/** Works where a file system may be mounted: the disk is really full. */
const smallDisk = async (folder: string): Promise<SmallDisk> => {
  const store = { databaseUrl: undefined, dataDir: join(folder, 'data'), poolSize: 5, remove: async () => {} }
  const wl = await startService(engines[0]!, { store })
  const ballast = join(folder, 'ballast')
  return {
    wl,
    fill: async () => {
      try {
        for (let megabytes = 1; ; megabytes++) writeFileSync(ballast, Buffer.alloc(megabytes * 262_144))
      } catch {}
    },
    makeRoom: async () => rmSync(ballast),
    remove: async () => {
      await wl.stop()
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const checkFullDisk = async ({ wl, fill, makeRoom }: SmallDisk): Promise<void> => {
  const { id: projectId } = await createProject(wl)
  const large = 'x'.repeat(200_000)
  await putItem(wl, 'kept', large)
  await fill()
  let refused = 0
  for (let at = 0; refused < 3; at++) {
    assert.ok(at < 200, 'the disk does not fill')
    const answer = await wl.put(`/v1/knowledge/more/${at}`, { content: large })
    if (answer.status === 201) continue
    const { message, retryAfter } = expectError(answer, 'SERVICE_UNAVAILABLE')
    assert.match(message, /disk is full/)
    assert.equal(answer.headers['retry-after'], String(retryAfter))
    refused++
  }
  // Reading goes on, and nothing of what was refused is there.
  assert.equal((await wl.get('/v1/knowledge/kept')).body.data.content, large)
  assert.match(expectError(await wl.get('/readyz', { key: null }), 'SERVICE_UNAVAILABLE').message, /disk is full/)
  assert.equal((await wl.get('/healthz', { key: null })).status, 200)
  const before = (await wl.get('/v1/knowledge?fields=key&limit=500')).body.data.length

  await makeRoom()
  assert.equal((await wl.put('/v1/knowledge/after', { content: large })).status, 201)
  assert.equal((await wl.post('/v1/tasks', { projectId, title: 'after' })).status, 201)
  assert.equal((await wl.delete('/v1/knowledge/kept')).status, 200)
  assert.equal((await wl.get('/v1/knowledge?fields=key&limit=500')).body.data.length, before)
  const [soundness] = await wl.service.core.db.all<{ integrity_check: string }>('pragma integrity_check')
  assert.equal(soundness?.integrity_check, 'ok')
  const readiness = await until(
    () => wl.get('/readyz', { key: null }),
    ({ status }) => status === 200,
  )
  assert.equal(readiness.status, 200)
}

describe('a full disk', () => {
  it('is a 503 that says so; reading goes on; it is over when there is room (file limit)', async () => {
    const disk = await limitedFile()
    try {
      await checkFullDisk(disk)
    } finally {
      await disk.remove()
    }
  })

  it('is a 503 that says so; reading goes on; it is over when there is room (small disk)', async (test) => {
    const folder = mountSmall()
    if (folder === undefined) return test.skip('no file system may be mounted here')
    const disk = await smallDisk(folder)
    try {
      await checkFullDisk(disk)
    } finally {
      await disk.remove()
    }
  })
})
