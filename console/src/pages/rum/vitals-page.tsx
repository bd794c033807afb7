/** Web vitals: of all pages together, over time, and page by page. */
import type {
  RumVital,
  RumVitalName,
  RumVitals,
} from '../../../../src/modules/rum/reading/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Empty,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  Table,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { RangeField } from '../logs/range-field.tsx'
import styles from './rum.module.css'
import { RANGE, RumTabs, rangeQuery, useRumScope } from './scope.tsx'
import { VitalTrend } from './trends.tsx'
import { Rating, VitalCards } from './vital.tsx'
import { VITAL_NAMES, vitalText } from './vitals.ts'
import { DEVICES, HowToSend } from './words.tsx'

const DEFAULTS = { ...RANGE, device: '', vital: 'LCP' }

export default function VitalsPage() {
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const query = { ...scope, device: filters.device }
  const read = useRead<RumVitals>('/console/api/rum/vitals', query, { keep: true })
  return (
    <Page title="Web vitals" lead="What users measured: the 75th percentile, as Google judges it.">
      <RumTabs range={range} />
      <Toolbar label="Web vitals">
        <RangeField range={range} onChange={(next) => setFilters({ range: next })} />
        <SelectField
          label="Device"
          value={filters.device}
          options={DEVICES}
          onChange={(device) => setFilters({ device })}
        />
      </Toolbar>
      <Shown read={read} what="web vitals">
        {({ overall, pages }) =>
          overall.length === 0 ? (
            <Section title="Web vitals" hideTitle>
              <Empty title="No vitals were reported in this time">
                <HowToSend />
              </Empty>
            </Section>
          ) : (
            <>
              <Section title="All pages">
                <VitalCards vitals={overall} />
              </Section>
              <VitalTrend
                name={vitalOf(filters.vital)}
                query={query}
                onName={(vital) => setFilters({ vital })}
              />
              <Section title="By page">
                <PagesTable pages={pages} range={range} />
              </Section>
            </>
          )
        }
      </Shown>
    </Page>
  )
}

const vitalOf = (text: string): RumVitalName => VITAL_NAMES.find((name) => name === text) ?? 'LCP'

function PagesTable({ pages, range }: { pages: RumVitals['pages']; range: string }) {
  return (
    <Table
      label="Web vitals by page, 75th percentile"
      rows={pages}
      keyOf={({ page }) => page}
      columns={[
        {
          label: 'Page',
          isWide: true,
          cell: ({ page }) => (
            <PageLink to="/rum/page" query={{ page, ...rangeQuery(range) }}>
              {page}
            </PageLink>
          ),
        },
        ...VITAL_NAMES.map((name) => ({
          label: name,
          isNumber: true,
          cell: ({ vitals }: RumVitals['pages'][number]) => (
            <P75 vital={vitals.find((one) => one.name === name)} />
          ),
        })),
        {
          label: 'Samples',
          isNumber: true,
          cell: ({ vitals }) => numberText(vitals.reduce((sum, { samples }) => sum + samples, 0)),
        },
      ]}
    />
  )
}

function P75({ vital }: { vital: RumVital | undefined }) {
  if (!vital) return <span class="muted">–</span>
  return (
    <span class={styles['cell']}>
      {vitalText(vital.name, vital.p75)} <Rating rating={vital.rating} />
    </span>
  )
}
