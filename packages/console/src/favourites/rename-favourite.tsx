import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Dialog } from '../components/dialog'
import { FormFoot } from '../components/form'
import { type Favourite, maxNameLength, useFavourites } from './store'

const RenameFavourite = ({ favourite, onClose }: { favourite: Favourite; onClose: () => void }): ReactNode => {
  const { rename } = useFavourites()
  const [name, setName] = useState(favourite.name)
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    rename(favourite.address, name.trim())
    onClose()
  }
  return (
    <Dialog title="Rename the favourite" onClose={onClose}>
      <form onSubmit={submit}>
        <div className="dialog-body form">
          <div className="field">
            <label htmlFor={id}>Name</label>
            <input
              id={id}
              className="input"
              value={name}
              maxLength={maxNameLength}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
        </div>
        <FormFoot submit="Rename" isDisabled={name.trim() === ''} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

export default RenameFavourite
