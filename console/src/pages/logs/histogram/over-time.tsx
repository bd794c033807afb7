/** The histogram of the explorer, stacked by a field. */
import type { FieldSeries } from '../../../../../src/modules/edge/logs/analysis/schema.ts'
import type { Histogram as Counts } from '../../../../../src/modules/edge/logs/schema.ts'
import { mapRead } from '../../../api/lists.ts'
import { useRead } from '../../../api/read.ts'
import { Loaded, Section, SelectField } from '../../../components/index.ts'
import { STACKED_FIELDS } from '../group-fields.ts'
import { HISTOGRAM_PATH, type ScopedLogQuery, SERIES_PATH } from '../queries.ts'
import { Histogram, type HistogramProps } from './histogram.tsx'
import { levelLayers, valueLayers } from './layers.ts'

export type OverTimeProps = Pick<HistogramProps, 'onSelect'> & {
  query: ScopedLogQuery
  /** The field by which the bars are stacked. */
  by: string
}

export function OverTime({ by, ...props }: OverTimeProps) {
  return (
    <Section title="Logs over time" hideTitle>
      {by === 'level' ? <ByLevel {...props} /> : <ByField key={by} field={by} {...props} />}
    </Section>
  )
}

export function StackField({ by, onChange }: { by: string; onChange: (field: string) => void }) {
  const isListed = STACKED_FIELDS.some(({ value }) => value === by)
  const options = isListed ? STACKED_FIELDS : [...STACKED_FIELDS, by]
  return <SelectField label="Stack by" value={by} options={options} onChange={onChange} />
}

type BarsProps = Omit<OverTimeProps, 'by'>

function ByLevel({ query, onSelect }: BarsProps) {
  const read = useRead<Counts>(HISTOGRAM_PATH, query, { keep_previous: true })
  return (
    <Loaded read={mapRead(read, levelLayers)} what="the histogram">
      {(counts) => <Histogram counts={counts} onSelect={onSelect} />}
    </Loaded>
  )
}

function ByField({ query, field, onSelect }: BarsProps & { field: string }) {
  const read = useRead<FieldSeries>(SERIES_PATH, { ...query, field }, { keep_previous: true })
  return (
    <Loaded read={mapRead(read, valueLayers)} what="the histogram">
      {(counts) => <Histogram counts={counts} onSelect={onSelect} />}
    </Loaded>
  )
}
