import { register } from 'node:module'

// The console's modules import each other without extensions, which only its bundler resolves.
register('./without-extension-hooks.js', import.meta.url)
