import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'

interface BuildFile {
  fileName: string
  code: string
}
type PlaceBuild = (files: BuildFile[], dist: string, options?: { isSole?: boolean }) => void

const { placeBuild } = (await import(new URL('../../tools/place-build.js', import.meta.url).href)) as {
  placeBuild: PlaceBuild
}

const root = mkdtempSync(join(tmpdir(), 'worklore-builds-'))
after(() => rmSync(root, { recursive: true, force: true }))

let dist: string
beforeEach(() => {
  dist = mkdtempSync(join(root, 'dist-'))
})

const buildOf = (text: string): BuildFile[] => [
  { fileName: 'main.js', code: `export const text = '${text}'` },
  { fileName: 'part.js', code: `export const part = '${text}'` },
]

const builds = (): string[] => readdirSync(dist).filter((name) => name.startsWith('build-'))
const currentBuild = (): string => /build-\w+/.exec(readFileSync(join(dist, 'main.js'), 'utf8'))![0]
const partOf = (build: string): string => readFileSync(join(dist, build, 'part.js'), 'utf8')

describe('a build of the service', () => {
  it('becomes the current one and leaves the files of the one before', () => {
    placeBuild(buildOf('one'), dist)
    const first = currentBuild()
    placeBuild(buildOf('two'), dist)
    assert.match(partOf(currentBuild()), /two/)
    assert.match(partOf(first), /one/)
  })

  it('with the same content as the one before keeps its folder', () => {
    placeBuild(buildOf('one'), dist)
    placeBuild(buildOf('one'), dist)
    assert.deepEqual(builds(), [currentBuild()])
  })

  it('replaces all but the latest ones, and when it is to be the only one, all', () => {
    const longAgo = new Date(0)
    for (const text of ['one', 'two', 'three', 'four']) {
      placeBuild(buildOf(text), dist)
      if (text === 'one') utimesSync(join(dist, currentBuild()), longAgo, longAgo)
    }
    const texts = builds().map((build) => /'(\w+)'/.exec(partOf(build))![1])
    assert.deepEqual(texts.sort(), ['four', 'three', 'two'])
    placeBuild(buildOf('four'), dist, { isSole: true })
    assert.deepEqual(builds(), [currentBuild()])
    assert.match(partOf(currentBuild()), /four/)
  })

  it('is not disturbed by one that was killed, whose files it deletes after a while', () => {
    for (const name of ['draft-old', 'draft-new']) {
      mkdirSync(join(dist, name))
      writeFileSync(join(dist, name, 'main.js'), '')
    }
    utimesSync(join(dist, 'draft-old'), new Date(0), new Date(0))
    placeBuild(buildOf('one'), dist)
    assert.match(partOf(currentBuild()), /one/)
    assert.deepEqual(
      readdirSync(dist).filter((name) => name.startsWith('draft-')),
      ['draft-new'],
    )
  })
})
