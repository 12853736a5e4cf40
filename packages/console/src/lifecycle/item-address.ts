export interface ItemAddress {
  key: string
  projectId: string | null
}

/** The project of an item, for calls that take a key. */
export const placeOf = ({ projectId }: ItemAddress): { projectId?: string } => (projectId ? { projectId } : {})
