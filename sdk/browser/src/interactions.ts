/**
 * Interaction to Next Paint (https://web.dev/articles/inp): the longest interaction, leaving out one
 * of the longest for every 50 interactions.
 */

export type EventTiming = PerformanceEntry & { interactionId?: number }

export type InteractionScore = {
  add: (entry: Pick<EventTiming, 'duration' | 'interactionId'>) => void
  /** Undefined before there was an interaction. `count` is how many the browser counted, if it does. */
  value: (count?: number) => number | undefined
}

const KEPT = 10
const LEAVE_OUT_EVERY = 50
/** How far browsers count the id up from one interaction to the next. */
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
      longest = longest.sort((a, b) => b.duration - a.duration).slice(0, KEPT)
    },
    value: (count) => {
      const interactions = count ?? (highest - lowest) / ID_STEP + 1
      return longest[Math.min(longest.length - 1, Math.floor(interactions / LEAVE_OUT_EVERY))]
        ?.duration
    },
  }
}
