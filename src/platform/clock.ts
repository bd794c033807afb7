/** The only place that reads the system clock; everything else receives a Clock or a `now`. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
