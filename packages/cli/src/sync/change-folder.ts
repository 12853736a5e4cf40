import { FileChanged, FileSkipped } from './files.js'
import type { Pass } from './pass.js'

/** Why the file system refused; other errors are not about one file. */
const refusals: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a folder is a file',
  ENAMETOOLONG: 'its name is too long',
  EINVAL: 'the file system does not allow its name',
  EILSEQ: 'the file system does not allow its name',
  EBUSY: 'it is in use',
}

/** Changes a file; answers whether that was done. What was changed meanwhile is looked at again in another pass. */
export const changeFolder = (pass: Pass, path: string, change: () => unknown): boolean => {
  try {
    change()
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const reason = error instanceof FileSkipped ? error.message : refusals[code]
    if (error instanceof FileChanged || code === 'ENOENT') pass.repeat()
    else if (reason) pass.report({ action: 'skipped', path, about: reason })
    else throw error
    pass.leaveOpen()
    return false
  }
}
