import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalEmbedder } from '../semantic/local-embedder.js'
import { hasWords, isMostlyLatin, outOfVocabularyShare } from './language.js'

test('words have a meaning, codes have none', () => {
  for (const query of ['roll back', 're-index', 'TS2345 while building', 'café']) assert.ok(hasWords(query), query)
  for (const query of ['ACME-5', 'xq7-99-kk', 'TS2345', '42', '--', 'x']) assert.ok(!hasWords(query), query)
})

test('stop words alone say nothing', () => {
  for (const query of ['what is the', 'to be or not to be']) assert.ok(!hasWords(query), query)
})

test('knows Latin script from others', () => {
  for (const text of ['Zürich', 'über 20', '', '42', 'größer als 検索']) assert.ok(isMostlyLatin(text), text)
  for (const text of ['Привет, мир', 'مرحبا', '京都の旅行', 'γειά', 'हिन्दी']) assert.ok(!isMostlyLatin(text), text)
})

test('knows English from other languages in Latin script', async () => {
  const embedder = createLocalEmbedder()
  const stems = await embedder.readStems!()
  const foreign = [
    'Wie viele Punkte gab die Verteidigung ab',
    'Was ist die Spurweite der Eisenbahnstrecken in Victoria?',
    '¿Cómo restablezco mi contraseña?',
    'hangi nehrin kıyısında',
    'sunucu yedekleri nerede saklanir',
    'Cine a scris romanul si in ce an',
    'Chi era il presidente e a chi apparteneva il partito',
    'Hvem var han, og hvor blev han født under krigen',
    'In welk jaar was de oorlog over?',
    'Làm thế nào để đặt lại mật khẩu?',
    'Bagaimana cara mengatur ulang kata sandi?',
    'sala konferencyjna',
  ]
  for (const query of foreign) assert.ok(outOfVocabularyShare(query, stems) > 0.15, query)
  const english = [
    'How do I reset my password?',
    'reset password',
    'blank page after the login redirect',
    'coronavirus thailand travel advice',
    'jet interference with supersonic flows theoretical papers',
    'Graph theoretic algorithms applicable to sparse matrices',
    'kubernetes',
    'shrink container',
  ]
  for (const query of english) assert.ok(outOfVocabularyShare(query, stems) < 0.1, query)
  await embedder.close()
})
