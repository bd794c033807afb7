/** A timer that fires at the earliest of its requested times. It never keeps the process alive. */
export type Alarm = {
  /** Fires in this many milliseconds, or earlier if an earlier time was requested. */
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
