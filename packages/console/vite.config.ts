import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const service = process.env.WORKLORE_URL ?? 'http://127.0.0.1:8787'

/**
 * Of marked, the console needs the lexer. The rest, which makes HTML, cannot be left out by tree shaking, because the
 * end of its only file runs code: it is cut off here, and with it all that nothing else refers to.
 */
const markedLexerOnly = (): Plugin => ({
  name: 'marked-lexer-only',
  apply: 'build',
  transform: {
    filter: { id: /node_modules\/marked\/lib\/marked\.esm\.js$/ },
    handler: (code) => {
      const lexer = code.match(/export\{.*?([\w$]+) as Lexer\b/s)?.[1]
      const end = code.search(/var [\w$]+=new [\w$]+;function [\w$]+\([\w$]+,[\w$]+\)\{return [\w$]+\.parse\(/)
      if (!lexer || end < 0) throw new Error('marked has changed: see vite.config.ts')
      return { code: `${code.slice(0, end)}export{${lexer} as Lexer};`, map: null }
    },
  },
})

/** What the console does not use, and tree shaking cannot tell: modules, and what they export instead. */
const unused: [module: RegExp, code: string][] = [
  // It has its own way to write the query of an address.
  [
    /\/@tanstack\/router-core\/dist\/esm\/searchParams\.js$/,
    `const nothing = () => undefined
     export { nothing as defaultParseSearch, nothing as defaultStringifySearch }
     export { nothing as parseSearchWith, nothing as stringifySearchWith }`,
  ],
  // No route redirects.
  [
    /\/@tanstack\/router-core\/dist\/esm\/redirect\.js$/,
    `const leftOut = () => { throw new Error('Left out of the console: see vite.config.ts') }
     export { leftOut as redirect, leftOut as parseRedirect }
     export const isRedirect = () => false, isResolvedRedirect = () => false`,
  ],
  // No route loads data or has a context.
  [/\/@tanstack\/react-router\/dist\/esm\/useLoaderData\.js$/, 'export const useLoaderData = () => undefined'],
  [/\/@tanstack\/react-router\/dist\/esm\/useLoaderDeps\.js$/, 'export const useLoaderDeps = () => undefined'],
  [/\/@tanstack\/react-router\/dist\/esm\/useRouteContext\.js$/, 'export const useRouteContext = () => undefined'],
  // Nothing is rendered on a server.
  [
    /\/@tanstack\/react-router\/dist\/esm\/ClientOnly\.js$/,
    'export const ClientOnly = ({ children }) => children; export const useHydrated = () => true',
  ],
  // The window does not scroll; parts of the page do.
  [/\/@tanstack\/react-router\/dist\/esm\/scroll-restoration\.js$/, 'export const ScrollRestoration = () => null'],
  [
    /\/@tanstack\/router-core\/dist\/esm\/scroll-restoration\.js$/,
    `const nothing = () => undefined
     export { nothing as setupScrollRestoration, nothing as getElementScrollRestorationEntry }
     export { nothing as defaultGetScrollRestorationKey, nothing as storageKey }`,
  ],
]

const withoutUnused = (): Plugin => ({
  name: 'without-unused',
  apply: 'build',
  load: {
    filter: { id: unused.map(([module]) => module) },
    handler: (id) => unused.find(([module]) => module.test(id))?.[1],
  },
})

/**
 * Modules that the file shared by most pages may contain. Others are loaded where they are needed: dialogs and undo after a
 * click, pauses and shortened names on few pages, tasks by all but knowledge, and styles by single pages.
 */
const ownModules =
  /\/console\/src\/(?!styles\/|lifecycle\/use-restore\.|components\/(confirm-dialog|dialog|form|middle-cut)\.|undo\/|pauses\/|tasks\/)/

/** Every page that shows tasks needs all of them. */
const taskActions =
  /\/src\/(lifecycle\/use-restore|tasks\/(claim-mark|end-claims|put-back|use-cards|use-task-actions))\./

export default defineConfig({
  base: '/console/',
  plugins: [react(), withoutUnused()],
  resolve: {
    alias: [
      // React has it itself.
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
      {
        find: /^use-sync-external-store\/shim\/with-selector$/,
        replacement: fileURLToPath(new URL('src/with-selector.ts', import.meta.url)),
      },
    ],
  },
  worker: { format: 'es', plugins: () => [markedLexerOnly()] },
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined as data: URLs, fonts would be refused by the page's Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Most of what a part imports is there already: lists of it would cost every page more than they save.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files: many small ones compress worse.
          groups: [
            { name: 'base', tags: ['$initial'] },
            { name: 'shared', test: ownModules, minShareCount: 6 },
            { name: 'task-actions', test: taskActions, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': service, '/console/session': service } },
})
