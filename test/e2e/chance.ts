/** Random choices of the load in tests. */

export const chance = (share: number): boolean => Math.random() < share

export const anyOf = <T>(all: readonly T[]): T | undefined =>
  all[Math.floor(Math.random() * all.length)]

/** Chooses one of the options with a probability in proportion to its weight. */
export function weighed<T>(options: readonly (readonly [weight: number, option: T])[]): T {
  const sum = options.reduce((all, [weight]) => all + weight, 0)
  let dice = Math.random() * sum
  for (const [weight, option] of options) {
    dice -= weight
    if (dice < 0) return option
  }
  const [first] = options
  if (!first) throw new Error('there are no options to choose from')
  return first[1]
}
