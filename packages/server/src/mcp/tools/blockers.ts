import { AppError } from '../../base/errors.js'

const listed = 'blockedBy'

/** Names the argument that a blocker came by, where an error names its place among all blockers of the task. */
export const namingBlockers =
  (argument: string, sent: readonly string[], all: readonly string[]) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !error.extras.details) throw error
    const details = error.extras.details.map(({ path, message }) => {
      const [field, index] = path.split('.')
      if (field !== listed) return { path, message }
      const at = index === undefined ? -1 : sent.indexOf(all[Number(index)]!)
      return { path: at < 0 ? argument : `${argument}.${at}`, message }
    })
    throw new AppError(error.code, error.message, { ...error.extras, details })
  }
