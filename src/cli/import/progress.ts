/** The progress of an import as text. */
import { MINUTE_SECONDS } from '../../platform/time-units.ts'

export type Progress = { done: number; total: number; elapsed_ms: number }

/** For example, `120,000 of 1,000,000 orders, 4,100 per second, 3 min 35 s left`. */
export function progressText(what: string, { done, total, elapsed_ms }: Progress): string {
  const perSecond = done / Math.max(0.001, elapsed_ms / 1000)
  const place = `${numberText(done)} of ${numberText(total)} ${what}`
  const left = perSecond === 0 ? '' : `, ${durationText((total - done) / perSecond)} left`
  return `${place}, ${numberText(Math.round(perSecond))} per second${left}`
}

const numberText = (value: number): string => value.toLocaleString('en-US')

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const minutes = Math.floor(whole / MINUTE_SECONDS)
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % MINUTE_SECONDS} s`
}
