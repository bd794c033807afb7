/** Whether queueing, claiming and completing cost more the more deliveries are finished. Pure. */
import { aimLine, fine, spread, table } from './report.ts'
import { median } from './statistics.ts'

export const STEPS = ['queue', 'claim', 'complete'] as const
export type Step = (typeof STEPS)[number]

/** One batch through all steps, in milliseconds. */
export type HistoryTurn = { turn: number; past: number; ms: Record<Step, number> }

export type History = { past: number; steps: HistoryStep[] }

type HistoryStep = {
  step: Step
  without_past_ms: number
  with_past_ms: number
  /** Median of the ratios of the turns, and their quartiles. */
  ratio: number
  ratio_quartiles: [number, number]
}

const AIM_RATIO = 1.2

export function historyOf(turns: HistoryTurn[]): History {
  const past = Math.max(...turns.map((turn) => turn.past))
  const without = turns.filter((turn) => turn.past === 0)
  const beside = turns.filter((turn) => turn.past === past)
  return {
    past,
    steps: STEPS.map((step) => {
      const ratios = beside.map(({ turn, ms }) => {
        const other = without.find((one) => one.turn === turn)
        return ms[step] / (other?.ms[step] ?? Number.NaN)
      })
      return {
        step,
        without_past_ms: median(without.map(({ ms }) => ms[step])),
        with_past_ms: median(beside.map(({ ms }) => ms[step])),
        ratio: median(ratios),
        ratio_quartiles: quartiles(ratios),
      }
    }),
  }
}

function quartiles(values: number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.ceil(sorted.length / 2)
  return [median(sorted.slice(0, half)), median(sorted.slice(-half))]
}

export const historyLines = ({ past, steps }: History): string[] => [
  `history: the same batches without finished deliveries in the table and beside ${past} of them`,
  table(
    ['step', 'ms without', 'ms with', 'ratio', '(quartile', 'quartile)'],
    steps.map(({ step, without_past_ms, with_past_ms, ratio, ratio_quartiles }) => [
      step,
      fine(without_past_ms),
      fine(with_past_ms),
      ...spread(ratio, ratio_quartiles),
    ]),
  ),
]

export const historyAims = ({ past, steps }: History): string[] =>
  steps
    .filter(({ step }) => step !== 'queue')
    .map(({ step, ratio }) => {
      const text = `to ${step} costs ${fine(ratio)} times as much beside ${past} deliveries, aim ${AIM_RATIO}`
      return aimLine(ratio <= AIM_RATIO, text)
    })
