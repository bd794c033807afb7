/** Times in the zone of the page, with UTC on hover. */
import { useEffect, useState } from 'preact/hooks'
import { ageText, dayText, timeText } from './format.ts'

export type TimeProps = {
  at: string | number | Date | null | undefined
  /** `age` is "5 min. ago", `day` has no time, `exact` has milliseconds. */
  as?: 'time' | 'age' | 'day' | 'exact'
}

const AGE_EVERY_MS = 30_000

export function Time({ at, as = 'time' }: TimeProps) {
  const now = useNow(as === 'age')
  if (at === null || at === undefined) return <span class="muted">–</span>
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>
  const utc = time.toISOString().replace('T', ' ').replace('Z', ' UTC')
  const text =
    as === 'age'
      ? ageText(time, now)
      : as === 'day'
        ? dayText(time)
        : timeText(time, as === 'exact')
  return (
    <time dateTime={time.toISOString()} title={as === 'age' ? `${timeText(time)} · ${utc}` : utc}>
      {text}
    </time>
  )
}

function useNow(isMoving: boolean): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    if (!isMoving) return undefined
    const timer = setInterval(() => setNow(new Date()), AGE_EVERY_MS)
    return () => clearInterval(timer)
  }, [isMoving])
  return now
}
