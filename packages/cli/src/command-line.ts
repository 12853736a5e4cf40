/** Exports of `wl` for commands that are packages of their own. */
export { type Cli, command } from './command.js'
export * from './exit-codes.js'
export { exitCodeOf, type Failure, failureOf } from './failure.js'
export { flag, text, texts } from './option.js'
export { runCommand } from './run.js'
export { checkUrl } from './settings.js'
export { oneLine } from './terminal/screen.js'
export { version } from './version.js'
