import { minilmModel } from '../src/semantic/minilm-model.js'
import { writeModel } from './write-model.js'

await writeModel(minilmModel.folder)
