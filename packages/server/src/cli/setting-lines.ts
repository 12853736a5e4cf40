import { settings } from '../config.js'

/** Every setting of the service, as its help lists them. */
export const settingLines = Object.values(settings).map(
  ({ name, about, fallback }) => `  ${name.padEnd(26)} ${about}${fallback ? ` (default ${fallback})` : ''}`,
)
