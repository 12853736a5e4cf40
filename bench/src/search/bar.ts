const WIDTH = 24

export const bar = (done: number, all: number): string => {
  const share = all === 0 ? 1 : done / all
  const full = Math.round(share * WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${done}/${all}`
}
