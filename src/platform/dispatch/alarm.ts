/** One timer that rings at the earliest of the times it was asked for. Never keeps the process up. */
export type Alarm = {
  /** In so many milliseconds, or earlier when something else asked for that. */
  ring(inMs: number): void
  silence(): void
}

export function createAlarm(work: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let ringsAt = Number.POSITIVE_INFINITY
  const silence = () => {
    clearTimeout(timer)
    ringsAt = Number.POSITIVE_INFINITY
  }
  return {
    ring: (inMs) => {
      const at = performance.now() + Math.max(0, inMs)
      if (at >= ringsAt) return
      silence()
      ringsAt = at
      timer = setTimeout(() => {
        ringsAt = Number.POSITIVE_INFINITY
        work()
      }, inMs).unref()
    },
    silence,
  }
}
