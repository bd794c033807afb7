/** How the numbers that several benchmarks share are printed. */
import type { HalfLoad, Memory } from './endurance.ts'

/** A leak of 100 bytes a request, in a run of 200,000. */
const AIM_GROWTH_MB = 10
/** A shorter run says nothing about growth. */
const JUDGED_SAMPLES_MIN = 6

export const whole = (value: number): string => value.toFixed(0)
export const fine = (value: number): string => value.toFixed(2)

export function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '))
    .join('\n')
}

/** Three cells: the median, the least and the most. */
export const spread = (middle: number, each: number[]): string[] =>
  [middle, Math.min(...each), Math.max(...each)].map(fine)

export function halfLoadLines(half: HalfLoad): string[] {
  return [
    `half load: ${whole(half.per_second)}/s of ${whole(half.asked_per_second)}/s asked, Poisson arrivals, latency from the intended moment`,
    `  p50 ${fine(half.p50_ms)} ms, p99 ${fine(half.p99_ms)} ms (worst round ${fine(half.worst_p99_ms)}), longest ${fine(half.max_ms)} ms`,
    `  event-loop delay p99 ${fine(half.event_loop_delay_p99_ms)} ms`,
  ]
}

/** @param things what was asked for, in the plural */
export function memoryLines(
  { ready_mb, samples, per_second, first_half_mb, second_half_mb }: Memory,
  things: string,
): string[] {
  return [
    `memory: ${whole(ready_mb)} MB resident when started; then, at ${whole(per_second)} ${things}/s:`,
    table(
      ['requests', 'resident MB', 'heap used MB'],
      samples.map(({ requests, rss_mb, heap_mb }) => [
        String(requests),
        whole(rss_mb),
        whole(heap_mb),
      ]),
    ),
    `  growth of the median: ${whole(first_half_mb)} MB from the start to the first half, ${whole(second_half_mb)} MB to the second`,
  ]
}

export const aimLine = (isMet: boolean, text: string): string =>
  `  ${isMet ? 'met   ' : 'MISSED'}  ${text}`

/** @returns nothing for a run that was too short to say */
export function growthAim({ samples, second_half_mb }: Memory): string[] {
  if (samples.length < JUDGED_SAMPLES_MIN) return []
  const text = `${whole(second_half_mb)} MB more in the second half of the memory run than in the first, aim under ${AIM_GROWTH_MB}`
  return [aimLine(second_half_mb < AIM_GROWTH_MB, text)]
}
