/** Durations as JSON of protocol buffers has them: `3600s`, `0.5s`. */

export const secondsOf = (duration: string): number => Number(duration.slice(0, -1))
