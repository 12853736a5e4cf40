import { register } from 'node:module'

// The console's modules import each other without extensions, as its bundler resolves them.
register('./without-extension-hooks.js', import.meta.url)
