import { hueOf } from './avatar-look'
import type { Choice } from './menu'

/** A label or tag in a list of choices. */
export const labelChoice = (label: string): Choice<string> => ({
  value: label,
  label,
  icon: <span className="label-dot" style={{ background: `hsl(${hueOf(label)} 55% 52%)` }} />,
})
