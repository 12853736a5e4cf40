/** `1,234` */
export const numberText = (value: number): string => value.toLocaleString('en')

/** `1 task`, `1,234 tasks` */
export const countOf = (count: number, noun: string): string => `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
