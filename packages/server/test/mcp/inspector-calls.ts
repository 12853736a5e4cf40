import { pathToFileURL } from 'node:url'

/**
 * Runs the Inspector's command line once for each list of words, in one process: most of the time of a call would be
 * the start of a process. A NUL ends the output of each.
 */
const [, , inspector, calls] = process.argv
const { runCli } = (await import(pathToFileURL(inspector!).href)) as { runCli(argv: string[]): Promise<void> }

for (const words of JSON.parse(calls!) as string[][]) {
  await runCli([process.execPath, inspector!, ...words])
  process.stdout.write('\0')
}
process.exit(0)
