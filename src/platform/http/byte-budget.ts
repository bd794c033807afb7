/**
 * Limits the bytes of request bodies that a process holds at the same time. A parsed body takes
 * about five times its size, and after an outage all senders deliver their backlog together.
 */
export type ByteBudget = {
  /** @param caller the sender; its requests share at most half of the budget */
  lease(caller: string): ByteLease
}

export type ByteLease = {
  /**
   * Reserves until this number of bytes is reserved in all.
   * @returns false when the budget, or the half of the caller, is used up
   */
  growTo(bytes: number): boolean
  release(): void
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let used = 0
  const byCaller = new Map<string, number>()

  const add = (caller: string, bytes: number): void => {
    used += bytes
    const sum = (byCaller.get(caller) ?? 0) + bytes
    if (sum === 0) byCaller.delete(caller)
    else byCaller.set(caller, sum)
  }

  return {
    lease: (caller) => {
      let own = 0
      let isReleased = false
      return {
        growTo: (bytes) => {
          if (bytes <= own || isReleased) return true
          const ofCaller = (byCaller.get(caller) ?? 0) - own
          if (!fits(ofCaller, bytes, maxBytes / 2) || !fits(used - own, bytes, maxBytes)) {
            return false
          }
          add(caller, bytes - own)
          own = bytes
          return true
        },
        release: () => {
          if (isReleased) return
          isReleased = true
          add(caller, -own)
        },
      }
    },
  }
}

/** A body without others always fits: the limit of its route bounds it. */
const fits = (others: number, bytes: number, maxBytes: number): boolean =>
  others === 0 || others + bytes <= maxBytes
