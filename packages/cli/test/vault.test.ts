import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { KnowledgeItem } from 'worklore-client'
import { createKey, createProject, putItem } from 'worklore-testing/factories'
import { addTenant } from 'worklore-testing/operator'
import { describeClient } from 'worklore-testing/service-suite'
import { createUser, userFor } from './wl.js'

/** A small vault as Obsidian keeps it. */
const vault: Record<string, string> = {
  'Home.md': '# Home\n\nSee [[Projects/Größe & Maß|sizes]], [[Daily/2026-01-31]] and ![[Bild 1.png]].\n',
  'Empty.md': '',
  'No end of line.md': 'Last line',
  'Windows.md': '---\r\ntags:\r\n  - win\r\naliases: [CRLF, "Zeilen, Enden"]\r\n---\r\n# Lines\r\n',
  'Projects/Größe & Maß.md':
    '---\ntags: [maß, "two words"]\naliases:\n  - Sizes\n  - "Größen, alle"\ntitle: Größe: ein Maß\nsource: https://example.com/a?b=c#d\n# a comment\ncssclasses: wide\n---\n\n## Längen\n\nText ^block-1\n\n![[Home#Home]]\n',
  'Projects/Ideas (2026)/Über uns.md':
    '---\ntags: "#old, archive/2025"\nalias: Wir\n---\nCode:\n\n```yaml\n---\ntags: [no]\n---\n```\n\n- [ ] to do [[Home]] ==mark== %%comment%%\n',
  'Daily/2026-01-31.md': '---\ntag: day\ndate: 2026-01-31\nvalidUntil: 2020-02-01\n---\nDone: `[[not a link]]`\n',
  'Daily/100%.md': 'A name that file systems may not take\n',
  'Broken front matter.md': '---\ntags: [a\nno end\n\n# Heading\n',
  'Key first.md': '---\nkey: of my own\nproject: NONE\n---\nText\n',
  'Rule.md': '---\n\nA rule above and below\n\n---\n',
}

const writeVault = (folder: string): void => {
  for (const [name, text] of Object.entries(vault)) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  mkdirSync(join(folder, '.obsidian'))
  writeFileSync(join(folder, '.obsidian/app.json'), '{}')
}

const filesOf = (folder: string): Map<string, string> =>
  new Map(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
  )

describeClient('notes with fields, imported and exported with wl', (service) => {
  const newcomer = async (test: TestContext) => {
    const key = await addTenant(service)
    const user = createUser(service.baseUrl, key)
    test.after(() => user.remove())
    const read = async (item: string) =>
      (await service.get(`/v1/knowledge/${encodeURIComponent(item)}`, { key })).body.data
    return { user, read, key }
  }

  it('gives a vault back as it was', async (test) => {
    const { user, read } = await newcomer(test)
    writeVault(join(user.folder, 'vault'))
    const { data } = await user.json('import', 'vault')
    const count = Object.keys(vault).length
    assert.deepEqual([data.notes, data.bad, data.droppedLinks], [{ created: count, existing: 0 }, [], []])

    const sizes = await read('Projects/Größe & Maß')
    assert.equal(sizes.content, vault['Projects/Größe & Maß.md'])
    assert.deepEqual(
      [sizes.title, sizes.tags, sizes.source, sizes.metadata],
      ['Größe: ein Maß', ['maß', 'two words'], 'https://example.com/a?b=c#d', { aliases: ['Sizes', 'Größen, alle'] }],
    )
    const about = await read('Projects/Ideas (2026)/Über uns')
    assert.deepEqual([about.tags, about.metadata], [['old', 'archive/2025'], { aliases: ['Wir'] }])
    const day = await read('Daily/2026-01-31')
    assert.deepEqual([day.tags, day.state, day.validUntil], [['day'], 'expired', '2020-02-01T00:00:00.000Z'])
    const windows = await read('Windows')
    assert.deepEqual([windows.tags, windows.metadata], [['win'], { aliases: ['CRLF', 'Zeilen, Enden'] }])
    assert.deepEqual((await read('Broken front matter')).tags, [])
    const links = await user.json('note', 'links', 'Home')
    assert.deepEqual(links.data.map(({ key, exists }: { key: string; exists: boolean }) => [key, exists]).slice(0, 2), [
      ['Projects/Größe & Maß', true],
      ['Daily/2026-01-31', true],
    ])

    await user.wl('export', 'out')
    const exported = filesOf(join(user.folder, 'out/notes/tenant'))
    const expected = new Map(Object.entries(vault))
    // Its name is written in another way, and its own front matter begins as that of an export does.
    expected.set('Daily/100%25.md', expected.get('Daily/100%.md')!)
    expected.delete('Daily/100%.md')
    const added = exported.get('Key first.md')!
    assert.ok(added.startsWith('---\nkey: "Key first"\n') && added.endsWith(`---\n${vault['Key first.md']}`), added)
    expected.set('Key first.md', added)
    assert.deepEqual([...exported].sort(), [...expected].sort())

    const again = await newcomer(test)
    await again.user.wl('import', join(user.folder, 'out'))
    for (const name of Object.keys(vault)) {
      const key = name.slice(0, -'.md'.length)
      const [before, after] = [await read(key), await again.read(key)]
      const fieldsOf = ({ content, title, tags, source, validUntil, metadata }: KnowledgeItem) => [
        content,
        title,
        tags,
        source,
        validUntil,
        metadata,
      ]
      assert.deepEqual(fieldsOf(after), fieldsOf(before), name)
    }
    await again.user.wl('export', 'out')
    assert.deepEqual(
      [...filesOf(join(again.user.folder, 'out/notes/tenant'))].map(([name]) => name).sort(),
      [...exported.keys()].sort(),
    )
    const second = await user.json('import', 'vault')
    assert.deepEqual(second.data.notes, { created: 0, existing: count })
  })

  it('carries every field, as a file and as a folder', async (test) => {
    const user = userFor(test, service)
    const { key: reviewer } = await createKey(service, { name: 'reviewer', scopes: ['knowledge:write'] })
    const { id: projectId } = await createProject(service, { key: 'ALL' })
    const put = (key: string, content: string, fields: object = {}) =>
      putItem(service, key, content, { projectId, ...fields })
    const judge = async (key: string, version: number, trust: string) => {
      const verdict = { key, projectId, version, trust, note: 'Seen' }
      const { status, text } = await service.post('/v1/knowledge/verdict', verdict, { key: reviewer })
      assert.equal(status, 200, text)
    }
    const whole = {
      title: 'A "title": with # signs\u2028and lines',
      tags: ['#tag', 'two words', "it's"],
      source: 'A: b # c',
      validUntil: '2100-01-01T00:00:00.000Z',
      metadata: { nested: { list: [1, null, 'x: y'] }, aliases: ['A'] },
    }
    await put('all/whole', '---\ntags: [other]\n---\nText\n', whole)
    await put('all/plain', 'Plain\n')
    await put('all/text-only', '---\ntags: [unset]\n---\n')
    // By name a successor comes before what it supersedes.
    await put('z/1', 'First')
    await put('m/2', 'Second', { supersedes: ['z/1'] })
    await put('a/3', 'Third', { supersedes: ['m/2'] })
    await put('b/replaced', 'Old')
    await put('c/wrong', 'Wrong successor', { supersedes: ['b/replaced'] })
    const withdrawn = { key: 'c/wrong', projectId, reason: 'It was: wrong' }
    assert.equal((await service.post('/v1/knowledge/retract', withdrawn)).status, 200)
    await put('a/right', 'Right successor', { supersedes: ['b/replaced'] })
    await judge('all/plain', 1, 'verified')

    await Promise.all(['out.jsonl', 'out'].map((target) => user.wl('export', target, '-p', 'ALL')))
    const plain = readFileSync(join(user.folder, 'out/notes/ALL/all/plain.md'), 'utf8')
    assert.match(plain, /\ntrust: "verified"\nverdict: \{"by":"reviewer",.*"note":"Seen"\}\n/)
    const wrong = readFileSync(join(user.folder, 'out/notes/ALL/c/wrong.md'), 'utf8')
    assert.match(wrong, /\nstate: "retracted"\nretraction: \{"reason":"It was: wrong","by":"admin",/)
    assert.equal(readFileSync(join(user.folder, 'out/notes/ALL/z/1.md'), 'utf8').split('\n')[3], 'state: "superseded"')

    for (const source of ['out.jsonl', 'out']) {
      const { user: other, key } = await newcomer(test)
      const { data } = await other.json('import', join(user.folder, source))
      assert.deepEqual([data.notes.created, data.droppedLinks], [9, []], source)
      const listed = async (secret: string): Promise<KnowledgeItem[]> =>
        (await service.get('/v1/knowledge?projectId=ALL', { key: secret })).body.data
      const fieldsOf = ({ key, content, title, tags, source, validUntil, metadata, ...item }: KnowledgeItem) => [
        ...[key, content, title, tags, source, validUntil, metadata],
        ...[item.supersedes, item.supersededBy, item.state, item.retraction?.reason],
      ]
      const [before, after] = [await listed(service.adminKey), await listed(key)]
      assert.deepEqual(after.map(fieldsOf), before.map(fieldsOf), source)
      assert.ok(after.every(({ trust }) => trust === 'unreviewed'))
      const again = await other.json('import', join(user.folder, source))
      assert.deepEqual(again.data.notes, { created: 0, existing: 9 })
    }
  })

  it('leaves out links to notes that are not there, or have a successor, and says so', async (test) => {
    const { user, read, key } = await newcomer(test)
    await putItem(service, 'taken', 'x', {}, { key })
    await putItem(service, 'successor', 'x', { supersedes: ['taken'] }, { key })
    const notes = [
      { key: 'one', supersedes: ['gone'] },
      { key: 'two', supersedes: ['taken', 'one'] },
      { key: 'ring/a', supersedes: ['ring/b'] },
      { key: 'ring/b', supersedes: ['ring/a'] },
    ]
    const lines = notes.map((note) => JSON.stringify({ kind: 'note', project: null, content: 'x', ...note }))
    writeFileSync(join(user.folder, 'notes.jsonl'), lines.join('\n'))
    const dry = await user.json('import', 'notes.jsonl', '--dry-run')
    assert.deepEqual(dry.data.droppedLinks, ['one → gone: not in the import'])
    const { data } = await user.json('import', 'notes.jsonl')
    assert.equal(data.notes.created, 4)
    assert.deepEqual(data.droppedLinks.map((line: string) => line.split(':')[0]).sort(), [
      'one → gone',
      'ring/b → ring/a',
      'two → one',
      'two → taken',
    ])
    assert.equal((await read('ring/b')).supersededBy, 'ring/a')
  })

  it('reads what older versions exported', async (test) => {
    const { user, read } = await newcomer(test)
    mkdirSync(join(user.folder, 'old/notes/tenant/guides'), { recursive: true })
    writeFileSync(join(user.folder, 'old/projects.jsonl'), '{"kind":"export","version":1}\n')
    const content = '---\ntitle: own\n---\nText\n'
    const fields = 'key: "guides/setup"\nversion: 3\ncreatedBy: "admin"\n'
    writeFileSync(join(user.folder, 'old/notes/tenant/guides/setup.md'), `---\n${fields}---\n${content}`)
    await user.wl('import', 'old')
    const item = await read('guides/setup')
    assert.deepEqual([item.content, item.title], [content, null])
  })
})
