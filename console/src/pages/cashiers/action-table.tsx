/** Actions as rows. */
import type { CashierActionItem } from '../../../../src/modules/cashier/reading/schema.ts'
import { placeName, wordsOf } from '../../components/cashier/words.ts'
import { amountText, Badge, RiskScore, Table, Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './cashiers.module.css'

export function ActionTable({
  actions,
  hasCashier = true,
}: {
  actions: readonly CashierActionItem[]
  /** False where all are of one. */
  hasCashier?: boolean
}) {
  return (
    <Table
      label="Cashier actions"
      rows={actions}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Performed',
          cell: ({ id, performed_at }) => (
            <PageLink to={`/cashiers/actions/${id}`} class={styles['time']}>
              <Time at={performed_at} />
            </PageLink>
          ),
        },
        ...(hasCashier
          ? [
              {
                label: 'Cashier',
                cell: ({ cashier_id, cashier_external_id }: CashierActionItem) => (
                  <PageLink to={`/cashiers/${cashier_id}`}>{cashier_external_id}</PageLink>
                ),
              },
            ]
          : []),
        { label: 'Action', cell: ({ action_type }) => wordsOf(action_type) },
        {
          label: 'Amount',
          isNumber: true,
          cell: ({ amount_cents }) =>
            amount_cents === null ? '–' : amountText(amount_cents, null),
        },
        {
          label: 'Score',
          cell: ({ risk_score, risk_level }) => <RiskScore score={risk_score} level={risk_level} />,
        },
        {
          label: 'Flags',
          cell: ({ flags }) =>
            flags.map((flag) => (
              <Badge key={flag} tone="warn">
                {wordsOf(flag)}
              </Badge>
            )),
        },
        { label: 'Till', cell: ({ edge_device_id }) => edge_device_id ?? '–' },
        { label: 'Place', cell: ({ location }) => placeName(location) },
        { label: 'Order', cell: ({ order_external_id }) => order_external_id ?? '–' },
      ]}
    />
  )
}
