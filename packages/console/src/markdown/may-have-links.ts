/** Whether a text may link to items. */
export const mayHaveLinks = (text: string): boolean => /\[\[|\]\(/.test(text)
