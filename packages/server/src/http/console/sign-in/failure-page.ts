import { hash } from 'node:crypto'

/** The colours of the web console. */
const style = `
:root { color-scheme: light dark; font: 0.875rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(#ffffff, #16171a); color: light-dark(#1d1e22, #e9e9eb) }
main { width: min(400px, calc(100vw - 32px)); box-sizing: border-box; padding: 32px;
  border: 1px solid light-dark(#e7e6e2, #292b31); border-radius: 16px; background: light-dark(#ffffff, #1c1d21) }
h1 { margin: 0 0 12px; font-size: 1.25rem }
p { margin: 0 0 16px }
a { color: light-dark(#2b59c3, #8aabff) }
a.again { display: inline-block; padding: 7px 14px; border-radius: 7px; text-decoration: none;
  background: light-dark(#2b59c3, #3d6be0); color: #ffffff }
small { color: light-dark(#61636c, #9a9da7) }
`

export const failurePageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)

interface Failure {
  message: string
  requestId: string
  /** Where to sign in again. */
  loginPath: string
}

/** What a person sees whose sign-in failed. */
export const failurePage = ({ message, requestId, loginPath }: Failure): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in · Worklore</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<p role="alert">${escaped(message)}</p>
<p><a class="again" href="${escaped(loginPath)}">Sign in again</a></p>
<p><a href="/console/">Other ways to sign in</a></p>
<small>Request ${escaped(requestId)}</small>
</main>
</body>
</html>
`
