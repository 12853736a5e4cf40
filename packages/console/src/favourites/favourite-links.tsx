import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { Icon } from '../components/icons'
import { ActionMenu } from '../components/menu'
import { onDemand } from '../components/on-demand'
import { parseQuery } from '../query'
import '../styles/favourites.css'
import { type Favourite, useFavourites, viewAddress } from './store'

const RenameFavourite = onDemand(() => import('./rename-favourite'))

const viewPath = /^(?:\/console)?(\/p\/[^/]+\/[^/]+|\/tasks(?:\/[^/]+)?)$/

/** The favourite views of who is signed in, in the sidebar. */
const FavouriteLinks = (): ReactNode => {
  const { favourites, remove } = useFavourites()
  const [renamed, setRenamed] = useState<Favourite | null>(null)
  const current = useRouterState({
    select: ({ location: { pathname, search } }) => {
      const [, path] = viewPath.exec(pathname) ?? []
      return path && viewAddress(path, search)
    },
  })
  if (favourites.length === 0) return null
  return (
    <section className="nav-group" aria-label="Favourites">
      <div className="nav-title">Favourites</div>
      {favourites.map((favourite) => {
        const { name, address } = favourite
        const [path, query = ''] = address.split(/\?(.*)/s)
        return (
          <div key={address} className="nav-favourite">
            <Link
              to={path!}
              search={parseQuery(query) as never}
              className="nav-link"
              activeProps={{}}
              aria-current={address === current ? 'page' : undefined}
              title={name}
            >
              <Icon name="star" />
              <span className="truncate">{name}</span>
            </Link>
            <ActionMenu
              label={`Actions on ${name}`}
              actions={[
                {
                  value: () => setRenamed(favourite),
                  label: 'Rename',
                  icon: <Icon name="edit" size={14} />,
                },
                { value: () => remove(address), label: 'Remove', icon: <Icon name="close" size={14} /> },
              ]}
            />
          </div>
        )
      })}
      <Suspense>{renamed && <RenameFavourite favourite={renamed} onClose={() => setRenamed(null)} />}</Suspense>
    </section>
  )
}

export default FavouriteLinks
