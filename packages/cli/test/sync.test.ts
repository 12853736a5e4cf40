import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { platform } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { createKey } from 'worklore-testing/factories'
import { describeClient } from 'worklore-testing/service-suite'
import { until } from 'worklore-testing/until'
import type { Report } from '../src/sync/report.js'
import { createSession, type Session } from '../src/sync/session.js'
import { prepareStateFolder } from '../src/sync/state.js'
import { type SyncStage, syncStage } from './sync-stage.js'
import { freePort } from './wl.js'

const texts: Record<string, string> = {
  'Home.md': '# Home\n\nSee [[Projects/Größe & Maß|sizes]].\n',
  'Empty.md': '',
  'No end of line.md': 'Last line',
  'Windows.md': '---\r\ntags:\r\n  - win\r\ncssclasses: wide\r\n---\r\n# Lines\r\n',
  'Mark.md': '\ufeff---\ntitle: With a mark\n---\nText\n',
  'Projects/Größe & Maß.md':
    '---\ntags: [maß, "two words"]\n# a comment\nother: {a: 1}\ntitle: Größe: ein Maß\n---\n\nText\n',
  'Key first.md': '---\nkey: of my own\nproject: NONE\n---\nText\n',
  'Rule.md': '---\n\nA rule above and below\n\n---\n',
}

/** A sync within this process, of a folder that was never synced. */
const startSession = ({ wl, folder }: SyncStage, report: (report: Report) => void): Session => {
  prepareStateFolder(folder)
  return createSession({
    wl,
    root: folder,
    state: {
      ...{ target: { tenantId: '', projectId: null, prefix: '' }, position: null, listedAtMs: 0 },
      ...{ notes: new Map(), unsynced: new Map() },
    },
    isDry: false,
    isConfirmed: false,
    progress: { update: () => {}, note: () => {}, end: () => {} },
    report,
  })
}

describeClient('wl sync', (service) => {
  it('takes a vault to the service and to another folder, byte for byte', async (test) => {
    const stage = await syncStage(test, service)
    for (const [path, text] of Object.entries(texts)) stage.write(path, text)
    stage.write('.obsidian/app.md', 'not a note')
    stage.write('node_modules/a/readme.md', 'not a note')
    const first = await stage.run()
    assert.deepEqual([first.code, first.summary.uploaded, first.summary.notes], [0, 8, 8], first.stderr)
    assert.deepEqual(await stage.notes(), Object.fromEntries(Object.entries(texts).sort()))
    const { title, tags } = await stage.wl.knowledge.get('Projects/Größe & Maß')
    assert.deepEqual([title, tags], ['Größe: ein Maß', ['maß', 'two words']])
    await stage.expect([])
    await stage.expect([])
    assert.equal(readFileSync(stage.at('.worklore/.gitignore'), 'utf8'), '*\n')

    mkdirSync(join(stage.user.folder, 'other'))
    assert.equal(
      (await stage.user.run(['sync', 'other', '--tenant'])).stdout,
      '8 downloaded; 8 notes in sync with the whole tenant.\n',
    )
    for (const [path, text] of Object.entries(texts))
      assert.equal(readFileSync(join(stage.user.folder, 'other', path), 'utf8'), text)
    assert.equal(
      (await stage.user.run(['sync', 'other'])).stdout,
      'Nothing new; 8 notes in sync with the whole tenant.\n',
    )
    // Both sides are the same: a lost state changes nothing.
    rmSync(stage.at('.worklore/sync.json'))
    await stage.expect([])
    assert.equal((await stage.wl.knowledge.get('Home')).version, 1)
  })

  it('takes changes and deletions both ways', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b', 'c', 'd', 'folder/e']) stage.write(`${name}.md`, `${name}\n`)
    await stage.run()
    stage.write('a.md', 'a, edited here\n')
    await stage.wl.knowledge.put('b', { content: 'b, edited there\r\n' })
    stage.remove('c.md')
    await stage.wl.knowledge.delete('folder/e')
    await stage.wl.knowledge.put('new/there', { content: 'new' })
    stage.write('new here.md', 'new')
    await stage.expect([
      'uploaded a.md',
      'downloaded b.md',
      'deleted c.md',
      'deleted folder/e.md',
      'downloaded new/there.md',
      'uploaded new here.md',
    ])
    assert.deepEqual(stage.files(), {
      'a.md': 'a, edited here\n',
      'b.md': 'b, edited there\r\n',
      'd.md': 'd\n',
      'new here.md': 'new',
      'new/there.md': 'new',
    })
    assert.deepEqual(await stage.notes(), stage.files())
    assert.ok(!existsSync(stage.at('folder')))
    await stage.expect([])
  })

  it('keeps what was deleted on one side and changed on the other', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b']) stage.write(`${name}.md`, name)
    await stage.run()
    stage.remove('a.md')
    await stage.wl.knowledge.put('a', { content: 'a, edited there' })
    await stage.wl.knowledge.delete('b')
    stage.write('b.md', 'b, edited here')
    const { code } = await stage.expect(['kept a.md', 'kept b.md'])
    assert.equal(code, 0)
    assert.deepEqual(stage.files(), { 'a.md': 'a, edited there', 'b.md': 'b, edited here' })
    assert.deepEqual(await stage.notes(), stage.files())
    await stage.expect([])
  })

  it('sees renames as moves, both ways', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b', 'c', 'd']) stage.write(`${name}.md`, `text of ${name}`)
    await stage.run()
    mkdirSync(stage.at('deep/er'), { recursive: true })
    renameSync(stage.at('a.md'), stage.at('deep/er/A new name.md'))
    renameSync(stage.at('d.md'), stage.at('D.md'))
    await stage.wl.knowledge.move({ from: 'b', to: 'moved/b' })
    await stage.wl.knowledge.move({ from: 'c', to: 'on the way' })
    await stage.wl.knowledge.move({ from: 'on the way', to: 'moved/c' })
    stage.write('c.md', 'edited here meanwhile')
    await stage.expect([
      'moved deep/er/A new name.md',
      'moved D.md',
      'moved moved/b.md',
      'moved moved/c.md',
      'uploaded moved/c.md',
    ])
    assert.deepEqual(await stage.notes(), stage.files())
    assert.deepEqual(Object.keys(stage.files()), ['D.md', 'deep/er/A new name.md', 'moved/b.md', 'moved/c.md'])
    // The history goes on under the new key.
    assert.equal((await stage.wl.knowledge.get('deep/er/A new name')).version, 2)
    await stage.expect([])
  })

  it('sees names that were swapped or passed on as moves, and copies as copies', async (test) => {
    const stage = await syncStage(test, service)
    const names = ['a', 'b', '1', '2', '3', 'x', 'y', 'z', 'copied', 'over']
    for (const name of names) stage.write(`${name}.md`, `text of ${name}`)
    await stage.run()
    const rename = (from: string, to: string): void => renameSync(stage.at(`${from}.md`), stage.at(`${to}.md`))
    rename('a', 'aside')
    rename('b', 'a')
    rename('aside', 'b')
    rename('3', '4')
    rename('2', '3')
    rename('1', '2')
    rename('z', 'aside')
    rename('y', 'z')
    rename('x', 'y')
    rename('aside', 'x')
    // Its old text is in a new file, and in one that had another.
    stage.write('copy.md', 'text of copied')
    stage.write('over.md', 'text of copied')
    stage.write('copied.md', 'edited')
    const moved = ['a', 'b', '2', '3', '4', 'x', 'y', 'z'].map((name) => `moved ${name}.md`)
    await stage.expect([...moved, ...['copied', 'copy', 'over'].map((name) => `uploaded ${name}.md`)])
    assert.deepEqual(await stage.notes(), stage.files())
    // The history goes on under the new key.
    for (const [now, before] of ['ab', 'ba', '21', '43', 'xz'].map((pair) => [...pair] as [string, string]))
      assert.equal((await stage.wl.knowledge.getVersion(now, 1)).content, `text of ${before}`)
    await stage.expect([])
    // A run that is killed when they are moved, before it can note that.
    const noted = stage.read('.worklore/sync.json')
    rename('a', 'aside')
    rename('b', 'a')
    rename('aside', 'b')
    await stage.expect(['moved a.md', 'moved b.md'])
    stage.write('.worklore/sync.json', noted)
    await stage.expect([])
    assert.deepEqual([stage.read('a.md'), await stage.notes()], ['text of a', stage.files()])
  })

  it('sees names that were swapped while a note was changed on the service', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b']) stage.write(`${name}.md`, `text of ${name}`)
    await stage.run()
    renameSync(stage.at('a.md'), stage.at('aside'))
    renameSync(stage.at('b.md'), stage.at('a.md'))
    renameSync(stage.at('aside'), stage.at('b.md'))
    await stage.wl.knowledge.put('a', { content: 'text of a, edited there' })
    await stage.expect(['moved a.md', 'moved b.md', 'downloaded b.md'])
    assert.deepEqual(stage.files(), { 'a.md': 'text of b', 'b.md': 'text of a, edited there' })
    assert.deepEqual(await stage.notes(), stage.files())
  })

  it('keeps both texts of a conflict, under names that are free', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'before')
    stage.write('same.md', 'before')
    stage.write('a.conflict.md', 'an older conflict')
    await stage.run()
    stage.write('a.md', 'here')
    stage.write('same.md', 'the same edit')
    await stage.wl.knowledge.put('a', { content: 'there' })
    await stage.wl.knowledge.put('same', { content: 'the same edit' })
    const { code, lines, summary } = await stage.expect(['conflict a.md'])
    assert.deepEqual([code, lines[0]!.about, summary.conflict], [5, 'a.conflict-2.md', 1])
    assert.deepEqual(stage.files(), {
      'a.conflict-2.md': 'here',
      'a.conflict.md': 'an older conflict',
      'a.md': 'there',
      'same.md': 'the same edit',
    })
    const again = await stage.expect([])
    assert.deepEqual([again.code, again.summary.conflictFiles], [0, ['a.conflict-2.md', 'a.conflict.md']])
    assert.deepEqual(Object.keys(await stage.notes()), ['a.md', 'same.md'])
    // Without a state, what differs is a conflict too.
    rmSync(stage.at('.worklore'), { recursive: true })
    stage.write('a.md', 'other')
    await stage.expect(['conflict a.md'])
    assert.equal(stage.read('a.conflict-3.md'), 'other')
  })

  it('shows fields of the service in front matter, and nothing else of a file changes', async (test) => {
    const stage = await syncStage(test, service)
    const text = '---\r\n# mine\r\ntags: [a]\r\nother:   kept\r\naliases:\r\n  - X\r\n---\r\nText\r\n'
    stage.write('a.md', text)
    stage.write('plain.md', 'Text')
    await stage.run()
    await stage.wl.knowledge.patch('a', { title: 'A: "title"', tags: ['a', 'b c'] })
    await stage.wl.knowledge.patch('plain', { source: 'https://example.com' })
    await stage.expect(['downloaded a.md', 'downloaded plain.md'])
    const shown =
      '---\r\n# mine\r\ntags: ["a","b c"]\r\nother:   kept\r\naliases:\r\n  - X\r\ntitle: "A: \\"title\\""\r\n---\r\nText\r\n'
    assert.equal(stage.read('a.md'), shown)
    assert.equal(stage.read('plain.md'), '---\nsource: "https://example.com"\n---\nText')
    // The service was only read.
    assert.deepEqual((await stage.wl.knowledge.get('a')).version, 2)
    await stage.expect([])
    rmSync(stage.at('.worklore'), { recursive: true })
    await stage.expect([])

    // Other text there: the fields stay.
    await stage.wl.knowledge.put('plain', { content: 'Other text' })
    await stage.expect(['downloaded plain.md'])
    assert.equal(stage.read('plain.md'), '---\nsource: "https://example.com"\n---\nOther text')
    // A field that is removed from the front matter is cleared, and the other way round.
    stage.write('plain.md', 'Other text')
    await stage.wl.knowledge.patch('a', { title: null })
    await stage.expect(['downloaded a.md', 'uploaded plain.md'])
    assert.equal((await stage.wl.knowledge.get('plain')).source, null)
    assert.equal(stage.read('a.md'), shown.replace(/title.*\r\n/, ''))
    // Front matter that is edited in the text there counts as well.
    await stage.wl.knowledge.put('plain', { content: '---\ntitle: In the text\n---\nOther text' })
    await stage.expect(['downloaded plain.md'])
    assert.equal(stage.read('plain.md'), '---\ntitle: In the text\n---\nOther text')
    assert.equal((await stage.wl.knowledge.get('plain')).title, 'In the text')
    await stage.expect([])
  })

  it('leaves front matter as it is that cannot be edited, and says so', async (test) => {
    const stage = await syncStage(test, service)
    const blocks = {
      flow: '{title: x}',
      indented: '  title: x',
      anchor: 'title: &t x\nother: *t',
      item: 'tags:\n  - &t x\nother: *t',
    }
    const textOf = (lines: string): string => `---\n${lines}\n---\nText`
    for (const [name, lines] of Object.entries(blocks)) stage.write(`${name}.md`, textOf(lines))
    stage.write('plain.md', textOf('tags : a\nmy own: kept'))
    await stage.run()
    for (const name of [...Object.keys(blocks), 'plain']) {
      await stage.wl.knowledge.patch(name, { title: 'Other', tags: ['other'] })
    }
    const names = Object.keys(blocks)
    const { lines } = await stage.expect([...names.map((name) => `note ${name}.md`), 'downloaded plain.md'])
    assert.match(lines[0]!.about!, /^its front matter is left as it is and does not show .*title/)
    for (const [name, block] of Object.entries(blocks)) assert.equal(stage.read(`${name}.md`), textOf(block), name)
    assert.equal(stage.read('plain.md'), textOf('tags : ["other"]\nmy own: kept\ntitle: "Other"'))
    await stage.expect([])
    // What the file could not show is not cleared by an edit of its text.
    stage.write('flow.md', `${textOf(blocks.flow)}, edited`)
    await stage.expect(['uploaded flow.md'])
    const { title, tags } = await stage.wl.knowledge.get('flow')
    assert.deepEqual([title, tags], ['Other', ['other']])
    await stage.expect([])
  })

  it('sets links between notes whichever comes first, and keeps those that cannot be set', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', '---\nsupersedes: ["[[z]]"]\n---\nnew')
    stage.write('b.md', '---\nsupersedes: [missing]\n---\nnew')
    stage.write('z.md', 'old')
    const { lines } = await stage.expect(
      ['note b.md', 'uploaded a.md', 'uploaded b.md', 'uploaded z.md'],
      '--prefix',
      'x',
    )
    assert.match(lines.find(({ action }) => action === 'note')!.about!, /^supersedes was not set: (?!.*--)/)
    assert.deepEqual((await stage.wl.knowledge.get('x/a')).supersedes, ['x/z'])
    await stage.expect([])
    await stage.wl.knowledge.patch('x/b', { title: 'B' })
    await stage.expect(['downloaded b.md'])
    assert.equal(stage.read('b.md'), '---\nsupersedes: [missing]\ntitle: "B"\n---\nnew')
    // The note appears later.
    stage.write('missing.md', 'old')
    await stage.expect(['uploaded b.md', 'uploaded missing.md'])
    const { supersedes, title } = await stage.wl.knowledge.get('x/b')
    assert.deepEqual([supersedes, title], [['x/missing'], 'B'])
    await stage.expect([])
  })

  it('never writes outside of the folder, and says what it leaves out', async (test) => {
    const stage = await syncStage(test, service)
    const outside = join(stage.user.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.md'), 'secret')
    symlinkSync(outside, stage.at('linked'))
    symlinkSync(join(outside, 'secret.md'), stage.at('link.md'))
    const impossible = ['CON', 'aux.x/a', 'a:b', 'dot./a', 'space /a', '.git/hooks/x', 'q?', 'a\\..\\b', 'x.conflict']
    for (const key of [...impossible, 'linked/a', 'linked/secret', 'link', 'Case', 'case', 'Dir/a', 'dir/b'])
      await stage.wl.knowledge.put(key, { content: key })
    await stage.wl.knowledge.put('x.md/a', { content: 'a folder' })
    await stage.wl.knowledge.put('x', { content: 'a file of the same name' })
    const { code, lines } = await stage.run()
    assert.equal(code, 1)
    const skipped = lines.filter(({ action }) => action === 'skipped').map(({ path }) => path)
    assert.deepEqual(skipped.sort(), [...impossible, 'case', 'dir/b', 'link.md', 'linked', 'x.md/a'].sort())
    assert.ok(lines.every(({ action, about }) => action !== 'skipped' || about))
    assert.deepEqual(Object.keys(stage.files()).sort(), ['Case.md', 'Dir/a.md', 'link.md', 'linked/secret.md', 'x.md'])
    assert.deepEqual(readFileSync(join(outside, 'secret.md'), 'utf8'), 'secret')
    assert.ok(!existsSync(join(outside, 'a.md')))
    // The same is said each time, and costs nothing.
    assert.deepEqual((await stage.run()).lines.map(({ path }) => path).sort(), skipped)
    // A state file from elsewhere names no file outside.
    const file = stage.at('.worklore/sync.json')
    const state = JSON.parse(readFileSync(file, 'utf8'))
    const [note] = Object.values(state.notes) as object[]
    state.notes['../outside/secret.md'] = { ...note, key: 'gone', hash: 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols' }
    writeFileSync(file, JSON.stringify(state))
    await stage.run()
    assert.ok(existsSync(join(outside, 'secret.md')))
  })

  it('skips what is no text, too large or twice, and leaves the note of such a file alone', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    stage.write('fits.md', 'x'.repeat(1_048_576))
    await stage.run()
    stage.write('a.md', Buffer.from([0x61, 0, 0x62]))
    stage.write('large.md', 'x'.repeat(1_048_577))
    stage.write('latin.md', Buffer.from([0x47, 0x72, 0xfc, 0xdf]))
    stage.write('Readme.md', 'one')
    stage.write('README.md', 'two')
    const { code, lines } = await stage.run()
    assert.equal(code, 1)
    assert.deepEqual(
      lines.filter(({ action }) => action === 'skipped').map(({ path, about }) => `${path} ${about}`),
      [
        'a.md is binary',
        'large.md is larger than 1 MiB',
        'latin.md is not UTF-8 text',
        'Readme.md its name differs from README.md only in case',
      ],
    )
    assert.deepEqual(Object.keys(await stage.notes()), ['README.md', 'a.md', 'fits.md'])
    await stage.wl.knowledge.put('a', { content: 'a, edited there' })
    await stage.run()
    stage.write('a.md', 'a')
    await stage.expect(['downloaded a.md', 'skipped Readme.md', 'skipped large.md', 'skipped latin.md'])
    assert.equal(stage.read('a.md'), 'a, edited there')
  })

  it('names what is no file, and names that are not UTF-8', { skip: platform() !== 'linux' }, async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    execFileSync('mkfifo', [stage.at('pipe.md'), stage.at('pipe')])
    const latin = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`${stage.at('')}/`), Buffer.from(name, 'latin1')])
    writeFileSync(latin('Grün.md'), 'x')
    writeFileSync(latin('Grün.txt'), 'x')
    mkdirSync(latin('Öl'))
    const { code, lines } = await stage.run()
    assert.equal(code, 1)
    assert.deepEqual(
      lines
        .filter(({ action }) => action === 'skipped')
        .map(({ path, about }) => `${path} ${about}`)
        .sort(),
      ['Gr\ufffdn.md its name is not valid UTF-8', 'pipe.md is not a file', '\ufffdl its name is not valid UTF-8'],
    )
    assert.deepEqual(Object.keys(await stage.notes()), ['a.md'])
  })

  it('says what it would do and changes nothing', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    await stage.wl.knowledge.put('b', { content: 'b' })
    await stage.expect(['uploaded a.md', 'downloaded b.md'], '--dry-run')
    assert.deepEqual([Object.keys(stage.files()), Object.keys(await stage.notes())], [['a.md'], ['b.md']])
    assert.ok(!existsSync(stage.at('.worklore')))
    const { stdout } = await stage.user.run(['sync', 'vault', '--tenant', '--dry-run'])
    assert.equal(
      stdout,
      'would be downloaded: b.md\nwould be uploaded: a.md\n1 uploaded, 1 downloaded; dry run with the whole tenant, nothing was changed.\n',
    )
    await stage.run()
    renameSync(stage.at('a.md'), stage.at('c.md'))
    stage.remove('b.md')
    await stage.expect(['moved c.md', 'deleted b.md'], '--dry-run')
    assert.deepEqual(Object.keys(await stage.notes()), ['a.md', 'b.md'])
  })

  it('remembers its place, and refuses another one and a second run', async (test) => {
    const stage = await syncStage(test, service)
    await stage.wl.projects.create({ key: 'SYNC', name: 'Sync' })
    stage.write('a.md', 'a')
    await stage.run('-p', 'SYNC', '--prefix', 'notes/')
    assert.equal((await stage.wl.knowledge.get('notes/a', { projectId: 'SYNC' })).content, 'a')
    await stage.wl.knowledge.put('notes/b', { content: 'b', projectId: 'SYNC' })
    await stage.wl.knowledge.put('notes/c', { content: 'of the tenant', projectId: null })
    await stage.expect(['downloaded b.md'])
    const other = await stage.run('--tenant')
    assert.deepEqual([other.code, other.stderr.includes('synced with another project')], [2, true])
    assert.equal((await stage.run('--prefix', 'other')).code, 2)
    const outside = await stage.run('--prefix', '../x')
    assert.deepEqual([outside.code, outside.stderr.includes('--prefix must be the start of a key')], [2, true])

    writeFileSync(stage.at('.worklore/sync.lock'), `${process.pid}\n`)
    const locked = await stage.run()
    assert.deepEqual([locked.code, locked.stderr.includes('Another wl sync')], [5, true])
    // One that was killed.
    writeFileSync(stage.at('.worklore/sync.lock'), '999999999\n')
    await stage.expect([])
    assert.ok(!existsSync(stage.at('.worklore/sync.lock')))
  })

  it('keeps the note of a file that was renamed to a name that is not synced', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b', 'c', 'folder/d', 'e', 'gone']) stage.write(`${name}.md`, `text of ${name}`)
    await stage.run()
    renameSync(stage.at('a.md'), stage.at('a\\b.md'))
    renameSync(stage.at('b.md'), stage.at('b.conflict.md'))
    renameSync(stage.at('c.md'), stage.at('E.md'))
    renameSync(stage.at('folder/d.md'), stage.at('folder/large.md'))
    stage.write('folder/large.md', 'x'.repeat(1_048_577))
    stage.remove('gone.md')
    const kept = ['kept a.md', 'kept b.md', 'kept c.md', 'kept folder/d.md']
    const skipped = ['skipped a\\b.md', 'skipped E.md', 'skipped folder/large.md']
    await stage.expect([...kept, ...skipped, 'deleted gone.md'], '--dry-run')
    await stage.expect([...kept, ...skipped, 'deleted gone.md'])
    const { code, lines } = await stage.expect([...kept, ...skipped])
    assert.equal(code, 5)
    assert.match(
      lines.find(({ path }) => path === 'b.md')!.about!,
      /^its file is gone, but b\.conflict\.md has its text/,
    )
    assert.deepEqual(Object.keys(await stage.notes()), ['a.md', 'b.md', 'c.md', 'e.md', 'folder/d.md'])
    renameSync(stage.at('b.conflict.md'), stage.at('b.md'))
    stage.remove('a\\b.md')
    await stage.expect(['deleted a.md', 'kept c.md', 'kept folder/d.md', ...skipped.slice(1)])
    await stage.expect(['kept c.md', 'deleted folder/d.md', ...skipped.slice(1)], '--yes')
  })

  it('keeps the second of two notes that were renamed to one name in two folders', async (test) => {
    const stage = await syncStage(test, service)
    for (const name of ['a', 'b']) stage.write(`${name}.md`, `text of ${name}`)
    await stage.run()
    const other = join(stage.user.folder, 'other')
    mkdirSync(other)
    await stage.user.wl('sync', 'other', '--tenant')
    renameSync(join(other, 'a.md'), join(other, 'x.md'))
    await stage.user.wl('sync', 'other')
    renameSync(stage.at('b.md'), stage.at('x.md'))
    await stage.expect(['conflict x.md', 'deleted a.md', 'kept b.md'], '--dry-run')
    await stage.expect(['conflict x.md', 'deleted a.md', 'kept b.md'])
    assert.deepEqual(await stage.notes(), { 'b.md': 'text of b', 'x.md': 'text of a' })
    assert.deepEqual(stage.files(), { 'x.conflict.md': 'text of b', 'x.md': 'text of a' })
    assert.equal((await stage.expect(['kept b.md'])).code, 5)
    stage.remove('x.conflict.md')
    assert.equal((await stage.expect(['deleted b.md'])).code, 0)
  })

  it('says of a file that cannot be written only that', async (test) => {
    const stage = await syncStage(test, service)
    await stage.wl.knowledge.put('taken/a', { content: 'a' })
    await stage.wl.knowledge.put('b', { content: 'b' })
    // A file in place of the folder.
    stage.write('taken', 'not a note')
    await stage.expect(['skipped taken/a.md', 'downloaded b.md'])
  })

  it('takes a damaged state for a lost one', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    await stage.run()
    const file = stage.at('.worklore/sync.json')
    const whole = readFileSync(file, 'utf8')
    const wrong = { ...JSON.parse(whole), notes: { 'a.md': null } }
    for (const text of ['null', '7', '[]', '', whole.slice(0, 40), '{"format":1}', JSON.stringify(wrong)]) {
      writeFileSync(file, text)
      assert.equal((await stage.user.run(['sync', 'vault'])).code, 2, text)
      const { code, stderr } = await stage.expect([], '--tenant')
      assert.deepEqual([code, stderr.includes('sync.json is damaged and counts as lost')], [0, true], stderr)
    }
    await stage.expect([])
    writeFileSync(stage.at('.worklore/sync.journal'), 'null\n["a.md",7]\n{')
    await stage.expect([])
  })

  it('asks for a target before the first sync, and names it', async (test) => {
    const stage = await syncStage(test, service)
    await stage.wl.projects.create({ key: 'SYNC', name: 'Sync' })
    stage.write('a.md', 'a')
    const sync = (env: Record<string, string> = {}) => stage.user.run(['sync', 'vault'], { env })
    const refused = await sync()
    assert.deepEqual([refused.code, /needs a target: name a project with -p, or/.test(refused.stderr)], [2, true])
    assert.deepEqual(await stage.notes(), {})
    // A project that is set for all commands counts.
    assert.equal((await sync({ WORKLORE_PROJECT: 'SYNC' })).stdout, '1 uploaded; 1 note in sync with project SYNC.\n')
    assert.equal((await sync()).stdout, 'Nothing new; 1 note in sync with project SYNC.\n')
    rmSync(stage.at('.worklore/sync.json'))
    assert.equal((await sync()).code, 2)
    assert.deepEqual(await stage.notes(), {})
  })

  it('gives up soon if the server is away', async (test) => {
    const stage = await syncStage(test, service)
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await stage.user.run(['sync', 'vault', '--tenant', '--url', url])
    assert.equal(code, 6, stderr)
    const { child, ended } = stage.user.start(['sync', 'vault', '--tenant', '--watch', '--url', url])
    let said = ''
    child.stderr!.on('data', (chunk) => {
      said += chunk
    })
    await until(
      async () => said,
      (text) => text.includes('Trying again until it is back.'),
    )
    child.kill('SIGKILL')
    await ended
    assert.match(said, /Trying again until it is back\./)
  })

  it('ends where the server is lost on the way, and goes on in the next run', async (test) => {
    const stage = await syncStage(test, service)
    for (let at = 0; at < 350; at++) stage.write(`${at}.md`, `text ${at}`)
    let batches = 0
    const proxy = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      const { method = 'GET', url = '', headers } = request
      if (url === '/v1/batch' && ++batches === 3) {
        proxy.close()
        proxy.closeAllConnections()
        return
      }
      const sent = { authorization: headers.authorization!, 'content-type': headers['content-type'] ?? '' }
      const key = headers['idempotency-key']
      const answer = await fetch(`${service.baseUrl}${url}`, {
        method,
        headers: { ...sent, ...(key && { 'idempotency-key': String(key) }) },
        ...(method !== 'GET' && { body }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { code, stderr } = await stage.user.run(['sync', 'vault', '--tenant', '--url', url])
    assert.equal(code, 6, stderr)
    assert.match(stderr, /The server was lost\. Run the command again to go on from here\.\n.*Cannot reach/s)
    const { summary } = await stage.run()
    assert.deepEqual([summary.uploaded, summary.conflict], [150, 0])
    assert.deepEqual(await stage.notes(), stage.files())
    await stage.expect([])
  })

  it('does not empty a side because the other one is empty', async (test) => {
    const stage = await syncStage(test, service)
    for (let at = 0; at < 12; at++) stage.write(`${at}.md`, `${at}`)
    await stage.run()
    for (let at = 0; at < 12; at++) stage.remove(`${at}.md`)
    const { code, stderr } = await stage.run()
    assert.deepEqual([code, /^wl: All 12 notes are gone from the folder/.test(stderr)], [1, true], stderr)
    assert.equal(Object.keys(await stage.notes()).length, 12)
    const { summary } = await stage.run('--yes')
    assert.equal(summary.deleted, 12)
    assert.deepEqual(await stage.notes(), {})
  })

  it('reads with a key that may not write', async (test) => {
    const stage = await syncStage(test, service)
    await stage.wl.knowledge.put('a', { content: 'a' })
    const { key } = await createKey(service, { scopes: ['knowledge:read'] }, { key: stage.key })
    const env = { WORKLORE_KEY: key }
    const run = () => stage.user.run(['sync', 'vault', '--tenant'], { env })
    assert.equal((await run()).stdout, '1 downloaded; 1 note in sync with the whole tenant.\n')
    stage.write('a.md', 'edited')
    const refused = await run()
    assert.deepEqual([refused.code, refused.stdout], [4, ''])
    assert.equal(stage.read('a.md'), 'edited')
  })

  it('keeps a file that is linked to another name', async (test) => {
    const stage = await syncStage(test, service)
    stage.write('a.md', 'a')
    await stage.run()
    linkSync(stage.at('a.md'), join(stage.user.folder, 'copy'))
    await stage.wl.knowledge.put('a', { content: 'changed' })
    await stage.run()
    assert.equal(readFileSync(join(stage.user.folder, 'copy'), 'utf8'), 'a')
  })

  it('leaves a file alone while it is being written', async (test) => {
    const stage = await syncStage(test, service)
    const reports: Report[] = []
    const session = startSession(stage, (report) => reports.push(report))
    stage.write('a.md', 'the first part')
    const writing = setInterval(() => appendFileSync(stage.at('a.md'), ' and another'), 5)
    const { isWaiting } = await session.run()
    clearInterval(writing)
    assert.deepEqual([isWaiting, reports], [true, [{ action: 'skipped', path: 'a.md', about: 'is being written' }]])
    assert.deepEqual(await stage.notes(), {})
    rmSync(stage.at('.worklore'), { recursive: true })
    await until(stage.run, ({ code }) => code === 0)
    assert.deepEqual(await stage.notes(), stage.files())
  })

  it('takes a file that is gone as soon as it is written for deleted', async (test) => {
    const stage = await syncStage(test, service)
    const removeAtOnce = ({ action, path }: Report): void => {
      if (action === 'downloaded') stage.remove(path)
    }
    const session = startSession(stage, removeAtOnce)
    stage.write('kept.md', 'kept')
    await session.run()
    await stage.wl.knowledge.put('a', { content: 'a' })
    await session.run()
    assert.deepEqual(Object.keys(await stage.notes()), ['a.md', 'kept.md'])
    await session.run()
    assert.deepEqual(Object.keys(await stage.notes()), ['kept.md'])
  })
})
