import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { minilmModel } from '../src/semantic/minilm-model.js'
import { writeModel } from './write-model.js'

const folder = await mkdtemp(join(tmpdir(), 'worklore-model-'))
after(() => rm(folder, { recursive: true }))

const graphIn = (place: string) => readFile(join(place, minilmModel.graphFile))

test('the model is written anew for another version of the graph, and then left alone', async () => {
  await writeFile(join(folder, 'version.txt'), 'older')
  await writeFile(join(folder, minilmModel.graphFile), 'older')
  assert.equal(await writeModel(folder), true)
  assert.equal(await writeModel(folder), false)
})

test('what is built is the same everywhere', async () => {
  assert.ok((await graphIn(folder)).equals(await graphIn(minilmModel.folder)))
})
