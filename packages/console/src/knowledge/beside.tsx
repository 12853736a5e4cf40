import type { ReactNode } from 'react'
import type { KnowledgeItem } from 'worklore-client'
import { Contents } from './contents'
import { ItemDetails } from './fields/item-details'
import { ItemRelations } from './links/item-relations'
import '../styles/beside.css'

interface BesideProps {
  item: KnowledgeItem
  canWrite: boolean
  accept: (item: KnowledgeItem) => void
}

/** What there is to know of an item besides its text. */
export const Beside = (props: BesideProps): ReactNode => (
  <>
    <Contents />
    <ItemDetails {...props} />
    <ItemRelations item={props.item} />
  </>
)
