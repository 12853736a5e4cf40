const format = new Intl.NumberFormat('en')

/** `1,234` */
export const numberText = (value: number): string => format.format(value)

/** `1 task`, `1,234 tasks` */
export const countOf = (count: number, noun: string): string => `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
