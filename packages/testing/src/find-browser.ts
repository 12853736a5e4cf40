import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

const system = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

/** Debian's, which is there for arm64 too. */
const systemShell = '/usr/bin/chromium-headless-shell'

const completeFiles = ['chrome-linux/chrome', 'chrome-linux64/chrome']
const shellFiles = ['chrome-linux/headless_shell', 'chrome-headless-shell-linux64/chrome-headless-shell']

/** What Playwright has downloaded for other projects. */
const cached = (files: readonly string[]): string[] => {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), '.cache/ms-playwright')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith('chromium'))
    .sort()
    .reverse()
    .flatMap((name) => files.map((file) => join(folder, name, file)))
}

const unpackedFolder = join(modules, '.cache/worklore-chromium')

/** The one in `@sparticuz/chromium`, unpacked once with the libraries that it needs. It is there for x64 alone. */
const unpacked = (): string | undefined => {
  const browser = join(unpackedFolder, 'chromium')
  const isPossible =
    process.platform === 'linux' && process.arch === 'x64' && existsSync(join(modules, '@sparticuz/chromium'))
  if (existsSync(browser) || !isPossible) return existsSync(browser) ? browser : undefined
  mkdirSync(dirname(unpackedFolder), { recursive: true })
  const folder = mkdtempSync(`${unpackedFolder}-`)
  const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"
  // The package unpacks its libraries only where it takes itself to be on AWS.
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', unpack], { cwd: dirname(modules), env })
  try {
    if (status === 0) renameSync(folder, unpackedFolder)
  } catch {
    // Another test has unpacked it meanwhile.
  }
  rmSync(folder, { recursive: true, force: true })
  return existsSync(browser) ? browser : undefined
}

const firstOf = (paths: readonly (string | undefined)[]): string | undefined =>
  paths.find((path) => path && existsSync(path))

const named = process.env.WORKLORE_TEST_BROWSER

/** The path of a Chromium: the one named, the system's, Playwright's, or the one from npm; undefined where there is none. */
export const findBrowser = (): string | undefined =>
  firstOf([named, ...system, ...cached([...completeFiles, ...shellFiles])]) ?? unpacked()

/**
 * The same, but a headless shell, such as the one from npm, is preferred: a complete Chromium also draws its own windows,
 * which nobody sees, and takes five times the processor time for each page that a test opens.
 */
export const findTestBrowser = (): string | undefined =>
  firstOf([named, ...cached(shellFiles)]) ?? unpacked() ?? firstOf([systemShell]) ?? findBrowser()

/**
 * Names the package's fonts where they were unpacked; its own configuration looks for them in /tmp. Without any font the
 * browser crashes as soon as a page's own font arrives late.
 */
const fontsConfig = (): string => {
  const file = join(unpackedFolder, 'fonts.conf')
  if (existsSync(file)) return file
  const written = `${file}.${process.pid}`
  const folders = [join(unpackedFolder, 'fonts'), '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`).join('')
  const cache = join(unpackedFolder, 'fonts-cache')
  writeFileSync(written, `<?xml version="1.0"?><fontconfig>${folders}<cachedir>${cache}</cachedir></fontconfig>`)
  renameSync(written, file)
  return file
}

/** What the browser from npm needs to find its libraries and fonts. */
export const browserEnvironment = (browser: string | undefined): Record<string, string> =>
  browser?.startsWith(unpackedFolder)
    ? {
        LD_LIBRARY_PATH: [join(unpackedFolder, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
        FONTCONFIG_FILE: fontsConfig(),
      }
    : {}

/** Flags for a browser without a display, that asks nothing of the outside. */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Why tests in a browser are skipped, or false; where CI counts on them, their absence is a failure. */
export const skipWithoutBrowser = (browser: string | undefined): string | false => {
  if (browser) return false
  const reason =
    'no Chromium was found: install the package "chromium-headless-shell" or "chromium", or name one with WORKLORE_TEST_BROWSER'
  // No npm package has one for arm64.
  if (process.env.CI === 'true' && process.arch !== 'arm64') throw new Error(reason)
  console.error(`\n*** Tests in a browser are SKIPPED: ${reason} ***\n`)
  return reason
}
