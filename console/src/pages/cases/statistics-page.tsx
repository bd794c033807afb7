/** What members decided by week, how right the signals and rules were, and what it saved. */
import type {
  AnalystCounts,
  DecisionCounts,
  ReviewStatistics,
  WeekCounts,
} from '../../../../src/modules/reviews/statistics/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  amountText,
  Empty,
  Loaded,
  Notice,
  Page,
  Section,
  SelectField,
  Stat,
  Stats,
  Table,
  Toolbar,
  wordsOf,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { deciderOf } from '../reviews/review-text.ts'
import { durationText } from './case-text.ts'

const PATH = '/console/api/reviews/statistics'
const WEEKS = ['4', '12', '26', '53']

export default function StatisticsPage() {
  const scope = useScope()
  const [{ weeks }, setFilters] = useFilters({ weeks: '12' })
  const read = useRead<ReviewStatistics>(PATH, { ...scope, weeks }, { keep_previous: true })
  return (
    <Page
      title="Statistics"
      lead={`Decisions about ${scope.mode} orders and cashier actions, in weeks from Monday (UTC)`}
      actions={<PageLink to="/cases">Cases</PageLink>}
    >
      <Toolbar label="Time">
        <SelectField
          label="Weeks"
          value={weeks}
          options={WEEKS.map((value) => ({ value, label: `Last ${value} weeks` }))}
          onChange={(value) => setFilters({ weeks: value })}
        />
      </Toolbar>
      <Loaded read={read} what="the statistics">
        {(statistics) => <Statistics statistics={statistics} />}
      </Loaded>
    </Page>
  )
}

function Statistics({ statistics }: { statistics: ReviewStatistics }) {
  const { total, weeks, analysts, signals, rules, people, is_complete } = statistics
  return (
    <>
      {!is_complete && (
        <Notice tone="warn">Only the newest 20,000 decisions of this time are counted.</Notice>
      )}
      <Stats>
        <Stat label="Decisions" value={total.decisions} />
        <Stat label="Median time to decision" value={durationText(total.median_minutes)} />
        <Stat label="Saved" value={amountsText(total.saved)} />
        <Stat label="Lost" value={amountsText(total.lost)} />
      </Stats>
      <Section title="By week">
        <Table
          label="Decisions by week"
          rows={weeks.toReversed()}
          keyOf={({ week }) => week}
          columns={[{ label: 'Week of', cell: ({ week }) => week }, ...COUNTS]}
        />
      </Section>
      <Section title="By analyst">
        {analysts.length === 0 ? (
          <Empty title="No decisions">
            <p>No one decided anything in these weeks.</p>
          </Empty>
        ) : (
          <Table
            label="Decisions by analyst"
            rows={analysts}
            keyOf={({ by }) => by}
            columns={[
              { label: 'Analyst', cell: ({ by }) => deciderOf(by, people) },
              ...COUNTS,
              OVERTURNED,
            ]}
          />
        )}
      </Section>
      <Precisions
        title="By signal"
        rows={signals.map(({ subject, name, ...one }) => ({
          ...one,
          name: `${wordsOf(name)}${subject === 'order' ? '' : ' (cashier)'}`,
        }))}
      />
      <Precisions
        title="By custom rule"
        rows={rules.map(({ is_shadow, name, ...one }) => ({
          ...one,
          name: is_shadow ? `${name} (shadow)` : name,
        }))}
      />
      <Definitions />
    </>
  )
}

const amountsText = (amounts: DecisionCounts['saved']): string =>
  amounts.length === 0
    ? '–'
    : amounts.map(({ amount_cents, currency }) => amountText(amount_cents, currency)).join(', ')

type Counted = WeekCounts | AnalystCounts

const COUNTS: readonly Column<DecisionCounts>[] = [
  { label: 'Decisions', isNumber: true, cell: ({ decisions }) => decisions },
  { label: 'Fraud', isNumber: true, cell: ({ frauds }) => frauds },
  { label: 'Legitimate', isNumber: true, cell: ({ legitimate }) => legitimate },
  { label: 'Changes', isNumber: true, cell: ({ changes }) => changes },
  {
    label: 'Median time',
    isNumber: true,
    cell: ({ median_minutes }: Pick<Counted, 'median_minutes'>) => durationText(median_minutes),
  },
  { label: '90% within', isNumber: true, cell: ({ p90_minutes }) => durationText(p90_minutes) },
  { label: 'Saved', isNumber: true, cell: ({ saved }) => amountsText(saved) },
  { label: 'Lost', isNumber: true, cell: ({ lost }) => amountsText(lost) },
]

const OVERTURNED: Column<AnalystCounts> = {
  label: 'Overturned',
  isNumber: true,
  cell: ({ overturned }) => overturned,
}

type Row = { name: string; decided: number; frauds: number; precision: number }

function Precisions({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <p class="muted">Nothing that was decided had one.</p>
      ) : (
        <Table
          label={`Precision ${title.toLowerCase()}`}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { label: 'Name', cell: ({ name }) => name },
            { label: 'Decided', isNumber: true, cell: ({ decided }) => decided },
            { label: 'Frauds', isNumber: true, cell: ({ frauds }) => frauds },
            {
              label: 'Precision',
              isNumber: true,
              cell: ({ precision }) => `${Math.round(100 * precision)}%`,
            },
          ]}
        />
      )}
    </Section>
  )
}

function Definitions() {
  return (
    <Section title="How it is counted">
      <ul>
        <li>A decision is one of a member or the operator. Each change counts as one more.</li>
        <li>The time runs from the arrival in the queue to the first decision.</li>
        <li>Saved: amounts of flagged orders that were decided as fraud, and still are.</li>
        <li>
          Lost: amounts of frauds that were reported later, such as chargebacks, and that were not
          flagged or had been decided as legitimate.
        </li>
        <li>
          Precision: of the decided orders or actions with a signal or rule, the share of frauds,
          also of those that were reported later.
        </li>
        <li>Overturned: decisions that someone else, or a later report, changed.</li>
        <li>Amounts are unknown once retention has deleted the order.</li>
      </ul>
    </Section>
  )
}
