const CHARACTERS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** The text of a snippet, without its marks and escapes. */
export const plainSnippet = (html: string): string =>
  html.replace(/<\/?mark>|&(?:amp|lt|gt|quot|#39);/g, (code) => CHARACTERS[code] ?? '')
