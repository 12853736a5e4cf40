import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createProject } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { userFor } from './wl.js'

describeClient('notes with wl', (service) => {
  it('writes, reads, adds to, moves and deletes them', async (test) => {
    const user = userFor(test, service)
    writeFileSync(join(user.folder, 'note.md'), '# Setup\r\n\tInstall it.')
    assert.equal(await user.wl('note', 'put', 'guides/setup', 'note.md'), 'guides/setup\t1\n')
    assert.equal(await user.wl('note', 'get', 'guides/setup'), '# Setup\r\n\tInstall it.')
    assert.equal(await user.wl('note', 'get', 'guides/setup', '--lines', '1-1'), '# Setup\r\n')
    assert.equal(await user.wl('note', 'get', 'guides/setup', '--lines', '2'), '\tInstall it.')
    assert.equal((await user.run(['note', 'get', 'guides/setup', '--lines', '2-1'])).code, 2)
    const taken = await user.run(['note', 'put', 'guides/setup', '-', '--new'], { input: 'Other' })
    assert.equal(taken.code, 5)
    await Promise.all(['one', 'two', 'three'].map((text) => user.wl('note', 'append', 'guides/setup', '-m', text)))
    const lines = (await user.wl('note', 'get', 'guides/setup')).split('\n')
    assert.deepEqual(lines.slice(2).sort(), ['', 'one', 'three', 'two'])
    assert.equal(await user.wl('note', 'append', 'guides/new', '-m', 'First'), 'guides/new\t1\n')
    assert.equal(await user.wl('note', 'mv', 'guides', 'docs', '--recursive', '-q'), 'docs/new\ndocs/setup\n')
    assert.match(
      await user.wl('notes', 'docs/'),
      /^\t2\t[^\t]+\tadmin\tcurrent\tdocs\/new\n\t5\t[^\t]+\tadmin\tcurrent\tdocs\/setup\n$/,
    )
    assert.equal((await user.run(['note', 'rm', 'docs/new'])).code, 2)
    assert.equal(await user.wl('note', 'rm', 'docs/new', '-y'), 'docs/new\n')
    const gone = await user.run(['note', 'get', 'docs/new'])
    assert.deepEqual([gone.code, gone.stdout], [3, ''])
  })

  it('writes a note where it is, and for the tenant where that is asked for', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'PLACE' })
    assert.equal(await user.wl('note', 'put', 'placed', '-p', 'PLACE', '-m', 'Of the project'), 'placed\t1\n')
    assert.equal(await user.wl('note', 'put', 'placed', '-m', 'Where it is'), 'placed\t2\n')
    assert.equal(await user.wl('note', 'put', 'placed', '--tenant', '-m', 'Of all'), 'placed\t1\n')
  })

  it('reads the note of the project first, and writes where the project says', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'NOTE' })
    const env = { WORKLORE_PROJECT: 'NOTE' }
    await user.wl('note', 'put', 'shared', '-m', 'Of all')
    assert.equal((await user.run(['note', 'get', 'shared'], { env })).stdout, 'Of all')
    assert.equal((await user.run(['note', 'get', 'shared', '-p', 'NOTE'])).code, 3)
    await user.run(['note', 'put', 'shared', '-m', 'Of the project'], { env })
    assert.equal((await user.run(['note', 'get', 'shared'], { env })).stdout, 'Of the project')
    assert.equal((await user.run(['note', 'get', 'shared', '--tenant'], { env })).stdout, 'Of all')
    assert.equal((await user.run(['notes', '-q'], { env })).stdout, 'shared\n')
  })

  it('opens the note that it would read', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'OPEN' })
    await user.wl('note', 'put', 'open/both', '-m', 'Of all')
    await user.wl('note', 'put', 'open/tenant', '-m', 'Of all')
    await user.wl('note', 'put', 'open/both', '-m', 'Of the project', '-p', 'OPEN')
    const env = { WORKLORE_PROJECT: 'OPEN' }
    const pathOf = async (key: string, ...options: string[]): Promise<string> => {
      const { stdout } = await user.run(['open', key, '--print', ...options], { env })
      return stdout.trim().replace(`${service.baseUrl}/console/`, '')
    }
    assert.equal(await pathOf('open/both'), 'k/open/both?project=OPEN')
    assert.equal(await pathOf('open/tenant'), 'k/open/tenant')
    assert.equal(await pathOf('open/both', '-p', 'all'), 'k/open/both')
    assert.equal((await user.run(['open', 'open/tenant', '--print', '-p', 'OPEN'])).code, 3)
  })

  it('searches tasks and notes', async (test) => {
    const user = userFor(test, service)
    await createProject(service, { key: 'FIND' })
    await user.wl('add', 'Zebra crossing', '-p', 'FIND')
    await user.wl('note', 'put', 'animals/zebra', '-m', 'A zebra has <stripes> & hooves')
    const both = await user.wl('search', 'zebra')
    assert.match(both, /\ttask\tFIND-1\ttodo\tZebra crossing\n/)
    assert.match(both, /\tnote\tanimals\/zebra\t\tA zebra has <stripes> & hooves\n/)
    const body = await user.json('search', 'zebra', '--notes')
    assert.deepEqual([body.data[0].key, body.semantic], ['animals/zebra', false])
    const none = await user.run(['search', 'xylophone'])
    assert.deepEqual(none, { code: 3, stdout: '', stderr: 'Nothing found.\n' })
  })
})
