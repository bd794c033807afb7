/** One row per cashier: a bar with a marker at the usual value, and the numbers behind it. */
import type { CashierPeers, PeerRow } from '../../../../src/modules/cashier/reading/schema.ts'
import { loadedRows } from '../../api/lists.ts'
import { amountText, Badge, Bar, List, numberText, PartsBar } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import styles from './cashiers.module.css'
import type { Measure } from './measures.ts'

const FLAG_FROM = 50

export type PeerBarsProps = { peers: CashierPeers; measure: Measure; days: string }

export function PeerBars(props: PeerBarsProps) {
  return (
    <div class={styles['peers']}>
      <List
        label={`${props.measure.label}, by cashier`}
        what="cashiers"
        list={loadedRows(props.peers.cashiers)}
        keyOf={({ cashier_id }) => cashier_id}
        columns={[...measureColumns(props), ...totalColumns(props.peers)]}
      />
    </div>
  )
}

function measureColumns({ peers, measure, days }: PeerBarsProps): readonly Column<PeerRow>[] {
  const values = (row: PeerRow) => [measure.valueOf(row) ?? 0, measure.usualOf(row, peers) ?? 0]
  const max = Math.max(...peers.cashiers.flatMap(values))
  return [
    {
      label: 'Cashier',
      cell: (row) => (
        <div class={styles['cashier']}>
          <PageLink to={`/cashiers/${row.cashier_id}`} {...(days !== '14' && { query: { days } })}>
            {row.cashier_external_id}
          </PageLink>
          {row.score?.role === 'desk' && <Badge>service desk</Badge>}
        </div>
      ),
    },
    {
      label: measure.label,
      isWide: true,
      sortBy: measure.valueOf,
      cell: (row) => <PeerBar row={row} peers={peers} measure={measure} max={max} />,
    },
    {
      label: 'Current signal',
      isNumber: true,
      cell: ({ score }) => score && <Strength value={score.strength} />,
    },
  ]
}

function totalColumns({ action_type, currency }: CashierPeers): readonly Column<PeerRow>[] {
  const actionsLink = ({ cashier_id }: PeerRow, count: number, filter = {}) =>
    count === 0 ? (
      0
    ) : (
      <PageLink to="/cashiers/actions" query={{ cashier: cashier_id, action_type, ...filter }}>
        {numberText(count)}
      </PageLink>
    )
  const amount = (cents: number | null) => (cents === null ? null : amountText(cents, currency))
  return [
    {
      label: 'Flagged',
      isNumber: true,
      cell: (row) => actionsLink(row, row.flagged, { flagged: 'true' }),
    },
    {
      label: 'Count',
      isNumber: true,
      sortBy: ({ count }) => count,
      cell: (row) => actionsLink(row, row.count),
    },
    { label: 'Scores', cell: (row) => <Levels row={row} /> },
    {
      label: 'Highest score',
      isNumber: true,
      sortBy: ({ highest_score }: PeerRow) => highest_score,
      cell: ({ highest_score }) => highest_score,
    },
    {
      label: 'Amount',
      isNumber: true,
      cell: ({ amount_sum_cents }) => amount(amount_sum_cents || null),
    },
    {
      label: 'Median amount',
      isNumber: true,
      cell: ({ amount_median_cents }) => amount(amount_median_cents),
    },
    {
      label: 'Shifts',
      isNumber: true,
      cell: ({ shifts, shift_hours }) =>
        shifts === null ? null : `${shifts} (${numberText(shift_hours ?? 0, { digits: 0 })} h)`,
    },
    { label: 'All actions', isNumber: true, cell: ({ actions }) => actions },
  ]
}

type PeerBarProps = Omit<PeerBarsProps, 'days'> & { row: PeerRow; max: number }

function PeerBar({ row, peers, measure, max }: PeerBarProps) {
  const value = measure.valueOf(row)
  const usual = measure.usualOf(row, peers)
  if (value === null) return <span class="muted">unknown</span>
  const text = measure.text(value, peers)
  const compared = usual === null ? '' : `, usual is ${measure.text(usual, peers)}`
  const isOver = (row.score?.strength ?? 0) >= FLAG_FROM
  return (
    <>
      <div class={styles['bar']}>
        <Bar
          label={`${row.cashier_external_id}: ${text}${compared}`}
          value={value}
          max={max}
          mark={usual ?? undefined}
          tone={isOver ? 'bad' : 'info'}
        />
        <span class="number">{text}</span>
      </div>
      {row.score?.sentence && <p class={styles['finding']}>{row.score.sentence}.</p>}
    </>
  )
}

function Strength({ value }: { value: number }) {
  return value >= FLAG_FROM ? <Badge tone="bad">{value}</Badge> : <>{value}</>
}

function Levels({ row: { levels, count } }: { row: PeerRow }) {
  if (count === 0) return <span class="muted">–</span>
  return (
    <span class={styles['levels']}>
      <PartsBar
        label="Scores"
        parts={[
          { label: 'low', value: levels.low, tone: 'neutral' },
          { label: 'medium', value: levels.medium, tone: 'info' },
          { label: 'high', value: levels.high, tone: 'warn' },
          { label: 'critical', value: levels.critical, tone: 'bad' },
        ]}
      />
    </span>
  )
}
