/** One row per cashier: a bar with a mark at what is usual, and the numbers behind it. */
import type { CashierPeers, PeerRow } from '../../../../src/modules/cashier/reading/schema.ts'
import { amountText, Badge, Bar, numberText, PartsBar, Table } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './cashiers.module.css'
import type { Measure } from './measures.ts'

const FLAG_FROM = 50

export function PeerBars({
  peers,
  measure,
  days,
}: {
  peers: CashierPeers
  measure: Measure
  days: string
}) {
  const { cashiers, action_type, currency } = peers
  const most = Math.max(
    ...cashiers.flatMap((row) => [measure.valueOf(row) ?? 0, measure.usualOf(row, peers) ?? 0]),
  )
  const actionsOf = ({ cashier_id }: PeerRow) => ({ cashier: cashier_id, action_type })
  return (
    <div class={styles['peers']}>
      <Table
        label={`${measure.label}, by cashier`}
        rows={cashiers}
        keyOf={({ cashier_id }) => cashier_id}
        columns={[
          {
            label: 'Cashier',
            cell: (row) => (
              <div class={styles['cashier']}>
                <PageLink
                  to={`/cashiers/${row.cashier_id}`}
                  {...(days !== '14' && { query: { days } })}
                >
                  {row.cashier_external_id}
                </PageLink>
                {row.score?.role === 'desk' && <Badge>service desk</Badge>}
              </div>
            ),
          },
          {
            label: measure.label,
            isWide: true,
            cell: (row) => <PeerBar row={row} peers={peers} measure={measure} most={most} />,
          },
          {
            label: 'Signal now',
            isNumber: true,
            cell: ({ score }) => (score === null ? '–' : <Strength value={score.strength} />),
          },
          {
            label: 'Flagged',
            isNumber: true,
            cell: (row) =>
              row.flagged === 0 ? (
                0
              ) : (
                <PageLink to="/cashiers/actions" query={{ ...actionsOf(row), flagged: 'true' }}>
                  {row.flagged}
                </PageLink>
              ),
          },
          {
            label: 'Number',
            isNumber: true,
            cell: (row) =>
              row.count === 0 ? (
                0
              ) : (
                <PageLink to="/cashiers/actions" query={actionsOf(row)}>
                  {numberText(row.count)}
                </PageLink>
              ),
          },
          { label: 'Scores', cell: (row) => <Levels row={row} /> },
          {
            label: 'Highest',
            isNumber: true,
            cell: ({ highest_score }) => highest_score ?? '–',
          },
          {
            label: 'Amount',
            isNumber: true,
            cell: ({ amount_sum_cents }) =>
              amount_sum_cents === 0 ? '–' : amountText(amount_sum_cents, currency),
          },
          {
            label: 'Median amount',
            isNumber: true,
            cell: ({ amount_median_cents }) =>
              amount_median_cents === null ? '–' : amountText(amount_median_cents, currency),
          },
          {
            label: 'Shifts',
            isNumber: true,
            cell: ({ shifts, shift_hours }) =>
              shifts === null
                ? '–'
                : `${shifts} (${numberText(shift_hours ?? 0, { digits: 0 })} h)`,
          },
          { label: 'All actions', isNumber: true, cell: ({ actions }) => numberText(actions) },
        ]}
      />
    </div>
  )
}

function PeerBar({
  row,
  peers,
  measure,
  most,
}: {
  row: PeerRow
  peers: CashierPeers
  measure: Measure
  most: number
}) {
  const value = measure.valueOf(row)
  const usual = measure.usualOf(row, peers)
  if (value === null) return <span class="muted">not known</span>
  const said = measure.text(value, peers)
  const compared = usual === null ? '' : `, usual is ${measure.text(usual, peers)}`
  const isOver = (row.score?.strength ?? 0) >= FLAG_FROM
  return (
    <>
      <div class={styles['bar']}>
        <Bar
          label={`${row.cashier_external_id}: ${said}${compared}`}
          value={value}
          max={most}
          mark={usual ?? undefined}
          tone={isOver ? 'bad' : 'info'}
        />
        <span class="number">{said}</span>
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
