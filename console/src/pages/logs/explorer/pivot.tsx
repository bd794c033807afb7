/** The found logs as a table by the values of a field, or as a chart over time. */
import type { ComponentChildren } from 'preact'
import type {
  DataMembers,
  FieldSeries,
  FieldValues,
  Measure,
} from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import { mapRead } from '../../../api/lists.ts'
import { useRead } from '../../../api/read.ts'
import {
  Bar,
  Button,
  Chart,
  countText,
  ListSection,
  Loaded,
  numberText,
  Section,
  SelectField,
} from '../../../components/index.ts'
import { TABLE_FIELDS } from '../group-fields.ts'
import { seriesName, valueLayers } from '../histogram/layers.ts'
import { MEMBERS_PATH, type ScopedLogQuery, SERIES_PATH, VALUES_PATH } from '../queries.ts'
import { conditionOn, toggled } from '../query/query-text.ts'
import type { View } from '../view.ts'

export type PivotProps = {
  view: View
  query: ScopedLogQuery
  onChange: (changed: Partial<View>) => void
}

const ROWS_MAX = 100
const MEASURES: readonly { value: Measure; label: string }[] = [
  { value: 'count', label: 'Number of logs' },
  { value: 'p50', label: 'Median (p50)' },
  { value: 'p95', label: 'p95' },
  { value: 'average', label: 'Average' },
  { value: 'max', label: 'Maximum' },
]

export function Pivot({ view, query, onChange }: PivotProps) {
  const { data } = useRead<DataMembers>(MEMBERS_PATH, query, { keep_previous: true })
  const members = data?.members ?? []
  const numbers = members.filter(({ type }) => type === 'number').map(({ name }) => name)
  return (
    <>
      <div class="row">
        <SelectField
          label="Group by"
          value={view.group}
          options={withCurrent([...TABLE_FIELDS, ...members.map(({ name }) => name)], view.group)}
          onChange={(group) => onChange({ group })}
        />
        <SelectField
          label="Number"
          value={view.number}
          options={[{ value: '', label: 'Only count logs' }, ...withCurrent(numbers, view.number)]}
          onChange={(number) => onChange({ number, measure: number === '' ? 'count' : 'p95' })}
        />
        {view.show === 'chart' && view.number !== '' && (
          <SelectField
            label="Measure"
            value={measureOf(view)}
            options={MEASURES}
            onChange={(measure) => onChange({ measure })}
          />
        )}
      </div>
      <PivotResult
        key={view.group}
        view={view}
        query={query}
        onValue={(condition) => onChange({ q: toggled(view.q, condition), show: 'list' })}
      />
    </>
  )
}

type PivotResultProps = Pick<PivotProps, 'view' | 'query'> & {
  /** Instead of one that says what is shown. */
  title?: string
  actions?: ComponentChildren
  /** Called with a condition when a value is selected; without it, values are text. */
  onValue?: (condition: string) => void
}

export function PivotResult({ view, ...props }: PivotResultProps) {
  const { group, number } = view
  if (view.show !== 'chart') return <ValueTable view={view} {...props} />
  return <SeriesChart field={group} number={number} measure={measureOf(view)} {...props} />
}

type Option = string | { value: string; label: string }

/** A field of the address stays selectable if the logs do not have it. */
const withCurrent = (options: readonly Option[], current: string): Option[] =>
  current === '' || options.some((option) => valueOf(option) === current)
    ? [...options]
    : [...options, current]

const valueOf = (option: Option): string => (typeof option === 'string' ? option : option.value)

function measureOf({ measure, number }: View): Measure {
  const known = MEASURES.find(({ value }) => value === measure)?.value ?? 'count'
  return number === '' ? 'count' : known
}

function ValueTable({ view, query, title, actions, onValue }: PivotResultProps) {
  const { group, number } = view
  const wanted = { ...query, field: group, limit: ROWS_MAX, ...(number !== '' && { number }) }
  const read = useRead<FieldValues>(VALUES_PATH, wanted, { keep_previous: true })
  const { distinct = 0, values = [], total = 0 } = read.data ?? {}
  const max = values[0]?.count ?? 1
  const statistic = (measure: Exclude<Measure, 'count'>, label: string) => ({
    label,
    isNumber: true,
    cell: ({ number: statistics }: FieldValues['values'][number]) => {
      const value = statistics?.[measure] ?? null
      return value === null ? '–' : numberText(value)
    },
  })
  return (
    <ListSection
      title={title ?? `By ${group}`}
      actions={actions}
      list={mapRead(read, (loaded) => loaded.values)}
      what="values"
      emptyTitle="No matching logs"
      toolbar={
        <p class="muted" role="status">
          {countText(total, 'logs')}, {countText(distinct, 'values')}
          {distinct > values.length && `, the ${numberText(values.length)} most frequent`}
        </p>
      }
      keyOf={({ value }) => value}
      columns={[
        {
          label: group,
          isWide: true,
          cell: ({ value }) =>
            onValue ? (
              <Button kind="quiet" size="small" onClick={() => onValue(conditionOn(group, value))}>
                {seriesName(value)}
              </Button>
            ) : (
              seriesName(value)
            ),
        },
        { label: 'Logs', isNumber: true, cell: ({ count }) => numberText(count) },
        {
          label: 'Share',
          cell: ({ count }) => <Bar label={countText(count, 'logs')} value={count} max={max} />,
        },
        ...(number === ''
          ? []
          : [
              statistic('average', 'Average'),
              statistic('p50', 'p50'),
              statistic('p95', 'p95'),
              statistic('max', 'Maximum'),
            ]),
      ]}
    />
  )
}

type SeriesChartProps = Pick<PivotResultProps, 'query' | 'title' | 'actions'> & {
  field: string
  number: string
  measure: Measure
}

function SeriesChart({ query, field, number, measure, title, actions }: SeriesChartProps) {
  const wanted = { ...query, field, measure, ...(number !== '' && { number }) }
  const read = useRead<FieldSeries>(SERIES_PATH, wanted, { keep_previous: true })
  const what = number === '' ? 'Logs' : `${measure} of ${number}`
  const label = `${what} by ${field} over time`
  return (
    <Section title={title ?? label} actions={actions}>
      <Loaded read={read} what="the chart">
        {(loaded) => (
          <Chart
            label={label}
            unit={number === '' ? 'logs' : what}
            times={valueLayers(loaded).starts.map((start) => Date.parse(start))}
            series={loaded.series.map(({ value, points }) => ({
              name: seriesName(value),
              values: points,
            }))}
          />
        )}
      </Loaded>
    </Section>
  )
}
