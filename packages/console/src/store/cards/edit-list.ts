import { PreconditionFailedError } from 'worklore-client'

const maxTries = 3

interface ListEditing<T, R> {
  read: () => Promise<T>
  /** Writes the edited list if the record is still as given. */
  write: (record: T) => Promise<R>
}

/** Edits a list that is written as a whole: when someone else came between, the same edit is made to theirs. */
export const editList = async <T extends { version: number }, R>(
  record: T,
  { read, write }: ListEditing<T, R>,
): Promise<R> => {
  let now = record
  for (let tries = 1; ; tries++) {
    try {
      return await write(now)
    } catch (error) {
      if (!(error instanceof PreconditionFailedError) || tries === maxTries) throw error
    }
    now = await read()
  }
}

/** The list with the value, or without it; the others keep their places. */
export const withValue = (list: readonly string[], value: string, isIn: boolean): string[] => {
  if (!isIn) return list.filter((each) => each !== value)
  return list.includes(value) ? [...list] : [...list, value]
}
