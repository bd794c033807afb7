/** A cashier's day: shifts as bands, actions as points by time and score. */
import { useRef, useState } from 'preact/hooks'
import type {
  CashierActionItem,
  CashierShift,
  CashierTimeline,
} from '../../../../src/modules/cashier/reading/schema.ts'
import { amountText, wordsOf } from '../../components/index.ts'
import { fieldsIn } from '../../components/zone.ts'
import { useGo } from '../../shell/links.tsx'
import { HOUR_MS } from '../../time-units.ts'
import styles from './cashiers.module.css'

const WIDTH = 960
const HEIGHT = 240
const LEFT = 34
const RIGHT = 12
const TOP = 12
const BOTTOM = 26
const SHIFT_HEIGHT = 8
const TICK_HOURS = 3
const SCORES = [0, 25, 50, 70, 100] as const

export type TimelineProps = { timeline: CashierTimeline; start: Date; end: Date }

export function ShiftTimeline({ timeline, start, end }: TimelineProps) {
  const { actions, shifts } = timeline
  const x = (time: string) => {
    const share = (Date.parse(time) - start.getTime()) / (end.getTime() - start.getTime())
    return LEFT + Math.max(0, Math.min(1, share)) * (WIDTH - LEFT - RIGHT)
  }
  const points = usePoints(actions)
  return (
    <div
      class={styles['timeline']}
      role="group"
      aria-label={`Actions of ${timeline.cashier_external_id} by time and score`}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class={styles['plot']}>
        <Grid start={start} end={end} x={x} />
        {shifts.map((shift) => (
          <ShiftBand key={`${shift.started_at} ${shift.ended_at}`} shift={shift} x={x} end={end} />
        ))}
        {actions.map((action, index) => (
          <Point key={action.id} action={action} x={x(action.performed_at)} {...points(index)} />
        ))}
      </svg>
    </div>
  )
}

const y = (score: number): number =>
  TOP + (1 - score / 100) * (HEIGHT - TOP - BOTTOM - SHIFT_HEIGHT)

/** One point is reachable with Tab, the others from there with the arrow keys. */
function usePoints(actions: readonly CashierActionItem[]) {
  const go = useGo()
  const [chosen, choose] = useState(0)
  const elements = useRef<(SVGGElement | null)[]>([])
  const last = actions.length - 1
  const focus = (index: number) => {
    const to = Math.max(0, Math.min(last, index))
    choose(to)
    elements.current[to]?.focus()
  }
  const open = (index: number) => go(`/cashiers/actions/${actions[index]?.id}`)
  return (index: number) => ({
    take: (element: SVGGElement | null) => {
      elements.current[index] = element
    },
    tabIndex: index === Math.min(chosen, last) ? 0 : -1,
    onOpen: () => open(index),
    onKey: (event: KeyboardEvent) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: last }[event.key]
      if (to !== undefined) focus(to)
      else if (event.key === 'Enter' || event.key === ' ') open(index)
      else return
      event.preventDefault()
    },
  })
}

type PointProps = ReturnType<ReturnType<typeof usePoints>> & {
  action: CashierActionItem
  x: number
}

function Point({ action, x, take, tabIndex, onOpen, onKey }: PointProps) {
  const { risk_score, risk_level, action_type, flags } = action
  const isShift = action_type === 'shift_start' || action_type === 'shift_end'
  const summary = pointText(action)
  return (
    <g
      ref={take}
      role="link"
      // SVG attribute names are case-sensitive.
      tabindex={tabIndex}
      aria-label={summary}
      class={styles['point']}
      onClick={onOpen}
      onKeyDown={onKey}
    >
      <title>{summary}</title>
      <circle class={styles['reach']} cx={x} cy={y(risk_score)} r={11} />
      {isShift ? (
        <rect class={styles['shift-mark']} x={x - 4} y={y(risk_score) - 4} width={8} height={8} />
      ) : (
        <circle
          class={styles[risk_level]}
          cx={x}
          cy={y(risk_score)}
          r={flags.length > 0 ? 6.5 : 4.5}
        />
      )}
    </g>
  )
}

function pointText(action: CashierActionItem): string {
  const { performed_at, action_type, amount_cents, risk_score, risk_level, flags } = action
  const parts = [
    clockText(new Date(performed_at)),
    wordsOf(action_type),
    ...(amount_cents === null ? [] : [amountText(amount_cents, null)]),
    `score ${risk_score} ${risk_level}`,
    ...flags.map(wordsOf),
  ]
  return parts.join(', ')
}

type BandProps = { shift: CashierShift; x: (time: string) => number; end: Date }

function ShiftBand({ shift, x, end }: BandProps) {
  const { started_at, ended_at, how } = shift
  const from = started_at === null ? LEFT : x(started_at)
  const isOpen = ended_at === null
  const until = x(isOpen ? new Date(Math.min(Date.now(), end.getTime())).toISOString() : ended_at)
  return (
    <rect
      class={how === 'expired' ? styles['shift-expired'] : styles['shift']}
      x={from}
      y={HEIGHT - BOTTOM - SHIFT_HEIGHT + 4}
      width={Math.max(1, until - from)}
      height={SHIFT_HEIGHT}
    >
      <title>{shiftText(shift)}</title>
    </rect>
  )
}

export function shiftText({ started_at, ended_at, how }: CashierShift): string {
  const from = started_at === null ? 'the day before' : clockText(new Date(started_at))
  if (ended_at === null) return `Shift from ${from}, still open`
  const until = clockText(new Date(ended_at))
  return how === 'expired'
    ? `Shift from ${from}, end not sent (closed automatically at ${until})`
    : `Shift from ${from} to ${until}`
}

function Grid({ start, end, x }: { start: Date; end: Date; x: (time: string) => number }) {
  const ticks: Date[] = []
  for (let at = start.getTime(); at <= end.getTime(); at += TICK_HOURS * HOUR_MS) {
    ticks.push(new Date(at))
  }
  return (
    <g aria-hidden="true">
      {SCORES.map((score) => (
        <g key={score}>
          <line class={styles['grid']} x1={LEFT} x2={WIDTH - RIGHT} y1={y(score)} y2={y(score)} />
          <text class={styles['axis']} x={LEFT - 6} y={y(score) + 4} text-anchor="end">
            {score}
          </text>
        </g>
      ))}
      {ticks.map((tick, index) => (
        <text
          key={tick.getTime()}
          class={styles['axis']}
          x={x(tick.toISOString())}
          y={HEIGHT - 6}
          text-anchor={index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle'}
        >
          {clockText(tick)}
        </text>
      ))}
    </g>
  )
}

function clockText(time: Date): string {
  const { hour, minute } = fieldsIn(time)
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
