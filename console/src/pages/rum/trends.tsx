import type {
  RumActivity,
  RumVitalName,
  RumVitalTrend,
} from '../../../../src/modules/rum/reading/schema.ts'
import type { Query } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  Chart,
  countText,
  durationText,
  Empty,
  Loaded,
  Section,
  SelectField,
  stepText,
  Time,
} from '../../components/index.ts'
import { stepsOf } from './steps.ts'
import { THRESHOLDS, VITAL_NAMES, vitalText } from './vitals.ts'

type VitalTrendProps = {
  name: RumVitalName
  /** Scope, page and device. */
  query: Query
  onName: (name: RumVitalName) => void
}

export function VitalTrend({ name, query, onName }: VitalTrendProps) {
  const read = useRead<RumVitalTrend>(
    '/console/api/rum/trends/vital',
    { ...query, name },
    { keep_previous: true },
  )
  return (
    <Section
      title="75th percentile over time"
      actions={
        <SelectField label="Vital" hideLabel value={name} options={VITAL_NAMES} onChange={onName} />
      }
    >
      <Loaded read={read} what="the trend">
        {(trend) =>
          trend.points.length === 0 ? (
            <Empty title={`No ${name} samples in this period`} />
          ) : (
            <VitalChart name={name} trend={trend} />
          )
        }
      </Loaded>
    </Section>
  )
}

function VitalChart({ name, trend }: { name: RumVitalName; trend: RumVitalTrend }) {
  const { points, step_ms, since, until } = trend
  const [first, ...others] = points
  if (first && others.length === 0) {
    return (
      <p>
        {vitalText(name, first.p75)} from {countText(first.samples, 'samples')}, all within{' '}
        {durationText(step_ms)} of <Time at={first.at} />.
      </p>
    )
  }
  const { good, poor } = THRESHOLDS[name]
  const line = (value: number) => points.map(() => value)
  return (
    <>
      <Chart
        label={`${name}, 75th percentile over time`}
        unit={`${name}, 75th percentile`}
        // Steps without samples are left out, because a point between two gaps would not be drawn.
        times={points.map(({ at }) => Date.parse(at))}
        range={[Date.parse(since), Date.parse(until)]}
        format={(value) => vitalText(name, value)}
        series={[
          { name: `${name} p75`, values: points.map(({ p75 }) => p75) },
          { name: 'good', values: line(good), color: '--success' },
          { name: 'poor', values: line(poor), color: '--danger' },
        ]}
      />
      <p class="muted">One point per {stepText(step_ms)} with samples.</p>
    </>
  )
}

/** @param only leaves out views, for queries about errors */
export function Activity({ query, only }: { query: Query; only?: 'errors' }) {
  const read = useRead<RumActivity>('/console/api/rum/trends/activity', query, {
    keep_previous: true,
  })
  return (
    <Section title={only ? 'Errors over time' : 'Views and errors over time'}>
      <Loaded read={read} what="the activity">
        {(trend) => {
          if (trend.points.length === 0) return <Empty title="No events in this period" />
          const errors = stepsOf(trend, (point) => point.errors)
          const views = stepsOf(trend, (point) => point.views)
          return (
            <>
              <Chart
                label={only ? 'Errors over time' : 'Views and errors over time'}
                unit={`${only ? 'errors' : 'views and errors'} per ${stepText(trend.step_ms)}`}
                kind="bars"
                times={errors.times}
                range={[Date.parse(trend.since), Date.parse(trend.until)]}
                series={[
                  { name: 'Errors', values: errors.values, color: '--danger' },
                  ...(only ? [] : [{ name: 'Views', values: views.values }]),
                ]}
              />
              <p class="muted">One bar per {stepText(trend.step_ms)}.</p>
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}
