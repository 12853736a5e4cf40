/** A project is named by its id or its key; the two cannot be mistaken, since a key has no underscore. */
export const projectColumn = (ref: string): 'id' | 'key' => (ref.startsWith('prj_') ? 'id' : 'key')
