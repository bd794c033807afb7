/** The end of sessions, which comes when they are not used for a while or are too old. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../platform/time-units.ts'

export type Lifetimes = {
  refresh_token_days: number
  /** 0 or undefined: only the days above limit it. */
  session_idle_minutes?: number
  /** 0 or undefined: a session that is used does not end. */
  session_days?: number
}

/** @returns when the session ends unless it is used again before */
export function sessionEnd(lifetimes: Lifetimes, createdAt: Date, now: Date): Date {
  const { refresh_token_days, session_idle_minutes = 0, session_days = 0 } = lifetimes
  const idle = session_idle_minutes === 0 ? Infinity : session_idle_minutes * MINUTE_MS
  const unused = now.getTime() + Math.min(idle, refresh_token_days * DAY_MS)
  const oldest = session_days === 0 ? Infinity : createdAt.getTime() + session_days * DAY_MS
  return new Date(Math.min(unused, oldest))
}
