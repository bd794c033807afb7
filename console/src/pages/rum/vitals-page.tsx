import type { RumVital, RumVitals } from '../../../../src/modules/rum/reading/schema.ts'
import { loadedRows } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { Empty, ListSection, Loaded, Page, Section } from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { RangeToolbar } from '../logs/range-toolbar.tsx'
import { DeviceField, HowToSend, RumPageLink } from './parts.tsx'
import styles from './rum.module.css'
import { RANGE, RumTabs, useRumScope } from './scope.tsx'
import { VitalTrend } from './trends.tsx'
import { Rating, VitalCards } from './vital-cards.tsx'
import { VITAL_NAMES, vitalOf, vitalText } from './vitals.ts'

const DEFAULTS = { ...RANGE, device: '', vital: 'LCP' }

export default function VitalsPage() {
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { scope, range } = useRumScope()
  const query = { ...scope, device: filters.device }
  const read = useRead<RumVitals>('/console/api/rum/vitals', query, { keep_previous: true })
  return (
    <Page
      title="Real user monitoring"
      lead="Web vitals: 75th percentile of user measurements, rated with Google’s thresholds"
    >
      <RumTabs range={range} />
      <RangeToolbar label="Web vitals" range={range} set={setFilters}>
        <DeviceField value={filters.device} set={setFilters} />
      </RangeToolbar>
      <Loaded read={read} what="web vitals">
        {({ overall, pages }) =>
          overall.length === 0 ? (
            <Section title="Web vitals" hideTitle>
              <Empty title="No web vitals in this period">
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
              <PagesTable pages={pages} range={range} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function PagesTable({ pages, range }: { pages: RumVitals['pages']; range: string }) {
  return (
    <ListSection
      title="By page"
      label="Web vitals by page, 75th percentile"
      what="pages"
      list={loadedRows(pages)}
      keyOf={({ page }) => page}
      columns={[
        {
          label: 'Page',
          isWide: true,
          cell: ({ page }) => <RumPageLink page={page} range={range} />,
        },
        ...VITAL_NAMES.map((name) => ({
          label: name,
          isNumber: true,
          sortBy: ({ vitals }: RumVitals['pages'][number]) =>
            vitals.find((one) => one.name === name)?.p75 ?? null,
          cell: ({ vitals }: RumVitals['pages'][number]) => (
            <P75 vital={vitals.find((one) => one.name === name)} />
          ),
        })),
        {
          label: 'Samples',
          isNumber: true,
          cell: ({ vitals }) => vitals.reduce((sum, { samples }) => sum + samples, 0),
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
