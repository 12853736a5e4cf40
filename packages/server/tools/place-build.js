import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const keptBuilds = 3
const draftLifetimeMs = 3_600_000

const nameOf = (files) => {
  const hash = createHash('sha256')
  for (const { fileName, code } of files) hash.update(`${fileName}\0${code}\0`)
  return `build-${hash.digest('hex').slice(0, 16)}`
}

const writeBuild = (files, folder, dist) => {
  if (existsSync(folder)) return
  const draft = mkdtempSync(join(dist, 'draft-'))
  for (const { fileName, code } of files) writeFileSync(join(draft, fileName), code)
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process may have written the same build in the meantime.
    if (!existsSync(folder)) throw error
  }
}

const writeMain = (name, dist) => {
  const draft = join(dist, `draft-${process.pid}.js`)
  writeFileSync(draft, `import './${name}/main.js'\n`)
  renameSync(draft, join(dist, 'main.js'))
}

const deleteObsolete = (current, dist, isSole) => {
  const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const pathsOf = (prefix) =>
    readdirSync(dist)
      .filter((entry) => entry.startsWith(prefix))
      .map((entry) => join(dist, entry))
  const others = pathsOf('build-').filter((path) => path !== current)
  const obsolete = others.sort((a, b) => changedAt(b) - changedAt(a)).slice(isSole ? 0 : keptBuilds - 1)
  const abandoned = pathsOf('draft-').filter((path) => changedAt(path) < Date.now() - draftLifetimeMs)
  for (const path of [...obsolete, ...abandoned]) rmSync(path, { recursive: true, force: true })
}

/**
 * Writes a build into a folder of its own, named by its content, and lets `main.js` import it. That file is replaced last
 * and at once, so a build that is interrupted changes nothing. Earlier builds stay for the services that run from them.
 */
export const placeBuild = (files, dist, { isSole = false } = {}) => {
  const name = nameOf(files)
  const folder = join(dist, name)
  mkdirSync(dist, { recursive: true })
  writeBuild(files, folder, dist)
  const now = new Date()
  utimesSync(folder, now, now)
  writeMain(name, dist)
  deleteObsolete(folder, dist, isSole)
}
