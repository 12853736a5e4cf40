import type { ReactNode } from 'react'
import { signIn } from '../api/sign-in'
import { Confirm } from '../components/confirm'

/** A link for another tenant or person than the one who is signed in. */
export interface OtherLink {
  link: string
  message: string
}

interface ReplaceSessionProps {
  other: OtherLink
  onSignedIn: (secret: string) => Promise<void>
  onClose: () => void
}

/** Anyone can send a link of their own: the person decides whether to go on in another name. */
export const ReplaceSession = ({ other: { link, message }, onSignedIn, onClose }: ReplaceSessionProps): ReactNode => (
  <Confirm
    title="Sign in as someone else?"
    action="Sign in with the link"
    run={async () => onSignedIn(await signIn({ link, replace: true }))}
    onClose={onClose}
  >
    {message} If you did not ask for this link, stay signed in.
  </Confirm>
)
