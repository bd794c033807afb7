/**
 * Interaction to Next Paint (https://web.dev/articles/inp): the longest interaction, ignoring one of
 * the longest for every 50 interactions.
 */

export type EventTiming = PerformanceEntry & { interactionId?: number }

export type InteractionScore = {
  add: (entry: Pick<EventTiming, 'duration' | 'interactionId'>) => void
  /**
   * Returns undefined before the first interaction. `count` is the number of interactions by the
   * browser, if it counts them.
   */
  value: (count?: number) => number | undefined
}

const LONGEST_MAX = 10
const IGNORE_EVERY = 50
/** The increment of the id from one interaction to the next in browsers. */
const ID_STEP = 7

export function createInteractionScore(): InteractionScore {
  let longest: { id: number; duration: number }[] = []
  let lowest = Number.POSITIVE_INFINITY
  let highest = 0
  return {
    add: ({ interactionId: id, duration }) => {
      if (!id) return
      lowest = Math.min(lowest, id)
      highest = Math.max(highest, id)
      const known = longest.find((one) => one.id === id)
      if (known) known.duration = Math.max(known.duration, duration)
      else longest.push({ id, duration })
      longest = longest.sort((a, b) => b.duration - a.duration).slice(0, LONGEST_MAX)
    },
    value: (count) => {
      const interactions = count ?? (highest - lowest) / ID_STEP + 1
      return longest[Math.min(longest.length - 1, Math.floor(interactions / IGNORE_EVERY))]
        ?.duration
    },
  }
}
