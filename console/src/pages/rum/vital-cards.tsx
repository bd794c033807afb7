import type {
  RumRating,
  RumVital,
  RumVitalName,
} from '../../../../src/modules/rum/reading/schema.ts'
import { Badge, countText, PartsBar, percentText, type Tone } from '../../components/index.ts'
import styles from './rum.module.css'
import { THRESHOLDS, VITAL_NAMES, vitalText } from './vitals.ts'

const LONG_NAMES: Record<RumVitalName, string> = {
  LCP: 'Largest contentful paint',
  INP: 'Interaction to next paint',
  CLS: 'Cumulative layout shift',
  FCP: 'First contentful paint',
  TTFB: 'Time to first byte',
}

const RATING_NAMES: Record<RumRating, string> = {
  good: 'good',
  needs_improvement: 'needs improvement',
  poor: 'poor',
}
const TONES: Record<RumRating, Tone> = { good: 'good', needs_improvement: 'warn', poor: 'bad' }

export function Rating({ rating }: { rating: RumRating }) {
  return <Badge tone={TONES[rating]}>{RATING_NAMES[rating]}</Badge>
}

export function Distribution({ vital }: { vital: RumVital }) {
  const { name, good, needs_improvement, poor } = vital
  const text = (percent: number) => percentText(percent / 100, 1)
  return (
    <span class={styles['distribution']}>
      <PartsBar
        label={`${name} ratings in percent`}
        parts={[
          { label: 'good', value: good, tone: 'good' },
          { label: 'needs improvement', value: needs_improvement, tone: 'warn' },
          { label: 'poor', value: poor, tone: 'bad' },
        ]}
      />
      <span class="muted">
        {text(good)} good, {text(needs_improvement)} needs improvement, {text(poor)} poor
      </span>
    </span>
  )
}

export function VitalCards({ vitals }: { vitals: readonly RumVital[] }) {
  return (
    <ul class={styles['cards']}>
      {VITAL_NAMES.map((name) => {
        const vital = vitals.find((one) => one.name === name)
        const { good, poor } = THRESHOLDS[name]
        return (
          <li key={name} class={styles['card']} aria-label={`${name}, ${LONG_NAMES[name]}`}>
            <h3>
              <abbr title={LONG_NAMES[name]}>{name}</abbr>{' '}
              <span class="muted">{LONG_NAMES[name]}</span>
            </h3>
            {vital ? (
              <>
                <p class={styles['p75']}>
                  {vitalText(name, vital.p75)} <Rating rating={vital.rating} />
                </p>
                <Distribution vital={vital} />
                <p class="muted">{countText(vital.samples, 'samples')}</p>
              </>
            ) : (
              <p class="muted">No samples in this period.</p>
            )}
            <p class="muted">
              Good up to {vitalText(name, good)}, poor above {vitalText(name, poor)}
            </p>
          </li>
        )
      })}
    </ul>
  )
}
