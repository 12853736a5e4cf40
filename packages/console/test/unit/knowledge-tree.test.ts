import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchingItems } from '../../src/knowledge/links/matching-items'
import { createResolver, keyOfHref } from '../../src/knowledge/links/resolve'
import { rowsOf, treesOf } from '../../src/knowledge/tree'
import type { KnowledgeEntry, KnowledgeView } from '../../src/store/knowledge'

const entry = (key: string, projectId: string | null = null, title: string | null = null): KnowledgeEntry =>
  ({ key, projectId, title }) as KnowledgeEntry

const scopes = [
  { projectId: null, name: 'Shared' },
  { projectId: 'prj_1', name: 'Shop' },
]

describe('the tree of knowledge', () => {
  const entries = [
    entry('guides/step 10'),
    entry('guides/step 9'),
    entry('guides'),
    entry('Écrire'),
    entry('edit'),
    entry('own', 'prj_1'),
  ]

  it('has folders and items in natural order, one line for what is both', () => {
    const rows = rowsOf(
      treesOf(entries, () => true),
      scopes,
      () => true,
    )
    assert.deepEqual(
      rows.map(({ name, depth, count }) => `${'  '.repeat(depth)}${name} ${count}`),
      ['Shared 5', 'edit 0', 'Écrire 0', 'guides 2', '  step 9 0', '  step 10 0', 'Shop 1', 'own 0'],
    )
    assert.equal(rows.find(({ name }) => name === 'guides')!.entry?.key, 'guides')
  })

  it('shows what is below an expanded line only', () => {
    const rows = rowsOf(
      treesOf(entries, () => true),
      scopes,
      (id) => id === 'shared',
    )
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['shared', 'shared:edit', 'shared:Écrire', 'shared:guides', 'prj_1'],
    )
  })

  it('leaves out what does not match, and scopes without items', () => {
    const rows = rowsOf(
      treesOf(entries, ({ key }) => key.startsWith('guides/')),
      scopes,
      () => true,
    )
    assert.deepEqual(
      rows.map(({ path, entry }) => [path, entry !== undefined]),
      [
        ['', false],
        ['guides', false],
        ['guides/step 9', true],
        ['guides/step 10', true],
      ],
    )
  })
})

describe('links between items', () => {
  const indexOf = (entries: readonly KnowledgeEntry[], isComplete = true): KnowledgeView => ({
    get: (projectId, key) => entries.find((each) => each.projectId === projectId && each.key === key),
    entries: () => entries.values(),
    isComplete,
  })

  const entries = [
    entry('guides/setup'),
    entry('guides/linux/disk'),
    entry('a/twice'),
    entry('b/twice'),
    entry('guides/setup', 'prj_1'),
    entry('notes/own', 'prj_1'),
  ]

  it('lead to a key of the project, then to one that all share, from the folder or by the end of one key', () => {
    const resolve = createResolver(indexOf(entries), entry('notes/from', 'prj_1'))
    assert.deepEqual(resolve('guides/setup'), { key: 'guides/setup', projectId: 'prj_1', exists: true })
    assert.deepEqual(resolve('own'), { key: 'notes/own', projectId: 'prj_1', exists: true })
    assert.deepEqual(resolve('disk'), { key: 'guides/linux/disk', projectId: null, exists: true })
    assert.deepEqual(resolve('linux/disk.md'), { key: 'guides/linux/disk', projectId: null, exists: true })
    assert.deepEqual(resolve('twice'), { key: 'twice', projectId: 'prj_1', exists: false })
  })

  it('do not lead from shared items into a project', () => {
    const resolve = createResolver(indexOf(entries), entry('guides/from'))
    assert.deepEqual(resolve('notes/own'), { key: 'notes/own', projectId: null, exists: false })
  })

  it('are not called missing before all keys are known', () => {
    assert.equal(createResolver(indexOf(entries, false), entry('x'))('nowhere')?.exists, undefined)
  })

  it('are relative to the folder, and nowhere above all folders', () => {
    assert.equal(keyOfHref('a/b/c', './d'), 'a/b/d')
    assert.equal(keyOfHref('a/b/c', '../d.md#part'), 'a/d')
    assert.equal(keyOfHref('a/b', '../../../d'), undefined)
    assert.equal(keyOfHref('a/b', '/d%20e'), 'd e')
    assert.equal(keyOfHref('a/b', '/d%'), 'd%')
    for (const address of ['https://example.com', 'mailto:a@b', '//host', '#part', '?query'])
      assert.equal(keyOfHref('a', address), undefined, address)
  })

  it('are completed by keys that begin with what was typed, then by parts of keys and titles', () => {
    const all = [entry('disk'), entry('x/disk'), entry('my-disk'), entry('other', null, 'About disks'), entry('none')]
    const found = matchingItems(all, 'Disk', { projectIds: [null], excluded: [] }).map(({ key }) => key)
    assert.deepEqual(found, ['disk', 'x/disk', 'my-disk', 'other'])
    assert.deepEqual(matchingItems(all, 'disk', { projectIds: ['prj_1'], excluded: [] }), [])
    assert.deepEqual(matchingItems(all, 'x/', { projectIds: [null], excluded: ['x/disk'] }), [])
    const many = Array.from({ length: 20 }, (_, at) => entry(`disk-${at}`))
    assert.equal(matchingItems(many, 'disk', { projectIds: [null], excluded: [] }).length, 8)
  })
})
