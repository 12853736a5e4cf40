import { arch, cpus } from 'node:os'

/** What a run was made on: figures of one machine are not those of another. */
export const machine = {
  arch: arch(),
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? ''}`,
  node: process.version,
  at: new Date(),
}

export const machineLine = `${machine.arch}, ${machine.cpu}, Node ${machine.node}`
