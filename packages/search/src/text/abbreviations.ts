// What a model that was taught English prose has seldom or never seen is spelled out for it.
const SPELLED_OUT: Readonly<Record<string, string>> = {
  '2fa': 'two-factor authentication',
  a11y: 'accessibility',
  i18n: 'internationalization',
  k8s: 'kubernetes',
  l10n: 'localization',
  mfa: 'multi-factor authentication',
  o11y: 'observability',
  oom: 'out of memory',
  rbac: 'role-based access control',
  rca: 'root cause analysis',
  sso: 'single sign-on',
}

// Words that are written in several ways, as the analyzer tells them: "two-factor" is also twofactor.
const GROUPS = [
  ['2fa', 'mfa', 'twofactor', 'multifactor'],
  ['a11y', 'accessibility'],
  ['auth', 'authentication'],
  ['config', 'configuration'],
  ['db', 'database'],
  ['docs', 'documentation'],
  ['env', 'environment'],
  ['i18n', 'internationalization', 'internationalisation'],
  ['infra', 'infrastructure'],
  ['k8s', 'kubernetes'],
  ['l10n', 'localization', 'localisation'],
  ['o11y', 'observability'],
  ['prod', 'production'],
  ['repo', 'repository'],
  ['sso', 'signon'],
]

const others = new Map(
  GROUPS.flatMap((group) => group.map((word) => [word, group.filter((other) => other !== word)] as const)),
)

/** Other ways to write a word. */
export const otherSpellings = (word: string): readonly string[] => others.get(word) ?? []

const CODES = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${Object.keys(SPELLED_OUT).join('|')})(?![\\p{L}\\p{N}_-])`, 'giu')

/** The text with its abbreviations spelled out. */
export const spellOut = (text: string): string => text.replace(CODES, (code) => SPELLED_OUT[code.toLowerCase()]!)
