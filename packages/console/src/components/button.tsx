import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Icon, type IconName } from './icons'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'danger' | 'danger solid' | 'quiet'
  small?: boolean
  icon?: IconName
  ref?: Ref<HTMLButtonElement>
}

export const Button = ({ kind, small, icon, children, className, ...rest }: ButtonProps): ReactNode => (
  <button type="button" className={['button', kind, small && 'small', className].filter(Boolean).join(' ')} {...rest}>
    {icon && <Icon name={icon} size={14} />}
    {children}
  </button>
)

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName
  label: string
  ref?: Ref<HTMLButtonElement>
}

export const IconButton = ({ icon, label, className, ...rest }: IconButtonProps): ReactNode => (
  <button type="button" className={`icon-button ${className ?? ''}`} aria-label={label} title={label} {...rest}>
    <Icon name={icon} />
  </button>
)

export const Kbd = ({ children }: { children: ReactNode }): ReactNode => <kbd className="kbd">{children}</kbd>

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
export const commandKey = isApple ? '⌘' : 'Ctrl '
